import type { LineRange, TextChange } from "../../agents/events.ts";
import { changedIn, definitionsIn } from "./definitions.ts";
import { covers, failedTests, runOf } from "./failures.ts";
import { isName, namesIn } from "./names.ts";
import { isNotWorkedOn, isProse, pathsIn, saysGenerated } from "./paths.ts";
import {
  type FailedRun,
  faded,
  isStillInHand,
  nextWindow,
  type Search,
  type SeenPath,
  type WorkingFile,
  type WorkingName,
  type WorkingSet,
} from "./working-set.ts";

/** By where a name stands: how likely the next session is to use it, against one that was just written. */
const WEIGHT = {
  added: 0.8,
  removed: 0.5,
  written: 0.6,
  searched: 1,
  found: 0.2,
  command: 0.5,
  printed: 0.1,
  read: 0.3,
  said: 0.3,
  other: 0.5,
} as const;

/** How many of each are kept. They are cut to that when there are twice as many, so that an event costs little. */
const KEPT = { names: 300, seen: 150, files: 60, searches: 20, failures: 5, ranges: 3 } as const;

/** A name that a person gave to a thing may be shorter than one that is found anywhere. */
const SHORTEST_DEFINED = 4;

/** Folds what happens into the working set. What an event costs depends on the event alone. */
export class WorkingSetCollector {
  readonly #cwd: string;
  #clock: Pick<WorkingSet, "calls" | "window" | "began">;
  #names: Map<string, WorkingName>;
  #files: Map<string, WorkingFile>;
  #seen: Map<string, SeenPath>;
  #searches: Map<string, Search>;
  #failures: FailedRun[];

  constructor(cwd: string, earlier: WorkingSet) {
    const { calls, window, began } = earlier;
    this.#cwd = cwd;
    this.#clock = { calls, window, began };
    this.#names = new Map(earlier.names.map((name) => [name.name, { ...name }]));
    this.#files = new Map(earlier.files.map((file) => [file.path, { ...file }]));
    this.#seen = new Map(earlier.seen.map((seen) => [seen.path, { ...seen }]));
    this.#searches = new Map(earlier.searches.map((search) => [search.pattern, { ...search }]));
    this.#failures = earlier.failures.map((failure) => ({ ...failure }));
  }

  /** What follows happens in another window. */
  nextWindow(): void {
    this.#clock = nextWindow(this.#clock);
  }

  called(): void {
    this.#clock.calls += 1;
  }

  said(text: string): void {
    this.#touchAll(text, WEIGHT.said);
    this.#sawPaths(text);
  }

  asked(about: string): void {
    this.#touchAll(about, WEIGHT.other);
  }

  wrote(path: string, changes: readonly TextChange[]): void {
    this.#touchFile(path);
    if (isNotWorkedOn(path)) return;
    const place = { file: path, typed: !isProse(path) };
    for (const { removed, added } of changes) {
      if (saysGenerated(added)) continue;
      const weight = removed === undefined ? WEIGHT.written : WEIGHT.added;
      if (removed !== undefined) this.#touchAll(removed, WEIGHT.removed, place);
      this.#touchAll(added, weight, place);
      for (const name of definitionsIn(`${removed ?? ""}\n${added}`, path)) this.#changed(name, path, weight);
    }
  }

  read(path: string, lines: LineRange | undefined, output: string): void {
    this.#touchFile(path, lines);
    if (isNotWorkedOn(path) || saysGenerated(output)) return;
    this.#touchAll(output, WEIGHT.read, { file: path });
    if (isProse(path)) this.#sawPaths(output);
  }

  searched(pattern: string, path: string | undefined, output: string): void {
    const { calls: at, window } = this.#clock;
    this.#searches.delete(pattern);
    this.#searches.set(pattern, { pattern, ...(path !== undefined && { path }), at, window });
    cutOldest(this.#searches, KEPT.searches);
    this.#touchAll(pattern, WEIGHT.searched, { typed: true });
    this.#touchAll(output, WEIGHT.found);
    this.#sawPaths(output);
  }

  ran(command: string, output: string): void {
    this.#touchAll(command, WEIGHT.command, { typed: true });
    this.#touchAll(output, WEIGHT.printed);
    this.#sawPaths(output);
    if (!output.includes("\n@@ ")) return;
    for (const [path, names] of changedIn(output)) {
      if (!isNotWorkedOn(path)) for (const name of names) this.#changed(name, path, WEIGHT.found);
    }
  }

  tested(command: string, passed: boolean, output: string): void {
    const run = runOf(command);
    const isOver = (failure: FailedRun) => covers(run, runOf(failure.command));
    const others = this.#failures.filter((failure) => !isOver(failure));
    if (passed) {
      this.#failures = others;
      return;
    }
    const { calls: at, window } = this.#clock;
    this.#failures = [...others, { command, tests: failedTests(output), at, window }].slice(-KEPT.failures);
  }

  printed(output: string): void {
    this.#sawPaths(output);
  }

  workingSet(): WorkingSet {
    const { window } = this.#clock;
    const inHand = <T extends { window: number }>(entries: Iterable<T>) =>
      [...entries].filter((entry) => isStillInHand(entry, window));
    return {
      ...this.#clock,
      names: inHand(this.#names.values()),
      files: inHand(this.#files.values()),
      seen: inHand(this.#seen.values()),
      searches: inHand(this.#searches.values()),
      failures: inHand(this.#failures),
    };
  }

  /** `typed`: the agent wrote it into code, a search or a command, where a plain word is a name too. */
  #touchAll(text: string, weight: number, { file, typed = false }: { file?: string; typed?: boolean } = {}) {
    for (const [name, isCode] of namesIn(text)) this.#touch(name, weight, isCode || typed, file);
  }

  #touch(name: string, weight: number, code: boolean, file?: string): void {
    const { calls, window } = this.#clock;
    const known = this.#inHand(this.#names.get(name));
    const before = known === undefined ? 0 : faded(known.weight, known.at, calls, "name");
    const isThere = known?.file === undefined || known.file === file || !known.changed;
    const place = isThere ? { ...(file !== undefined && { file }) } : {};
    const own = known?.name ?? ownCopy(name);
    this.#names.set(own, {
      ...known,
      ...place,
      name: own,
      weight: rounded(before + weight),
      at: calls,
      window,
      code: code || (known?.code ?? false),
    });
    if (this.#names.size > KEPT.names * 2) this.#names = lightestCut(this.#names, KEPT.names, calls, "name");
  }

  /** What was defined or changed in a file. It is in hand although it may be short, or a sentence, as tests have. */
  #changed(name: string, file: string, weight: number): void {
    const isWord = /^[\p{L}\p{N}_$.]+$/u.test(name);
    if (isWord && !isName(name, SHORTEST_DEFINED)) return;
    if (!this.#names.has(name)) this.#touch(name, weight, true, file);
    const known = this.#names.get(name);
    if (known) this.#names.set(name, { ...known, code: true, file, changed: true });
  }

  #touchFile(path: string, lines?: LineRange): void {
    const { calls: at, window } = this.#clock;
    const known = this.#inHand(this.#files.get(path));
    this.#files.delete(path);
    const ranges =
      lines === undefined ? known?.lines : [lines, ...(known?.lines ?? []).filter(isOutside(lines))];
    this.#files.set(path, { path, at, window, ...(ranges && { lines: ranges.slice(0, KEPT.ranges) }) });
    cutOldest(this.#files, KEPT.files);
    this.#seen.delete(path);
  }

  /** What has gone does not come back with what it was. */
  #inHand<T extends { window: number }>(known: T | undefined): T | undefined {
    return known && isStillInHand(known, this.#clock.window) ? known : undefined;
  }

  /** Of a list of hundreds each says little. */
  #sawPaths(output: string): void {
    const { calls, window } = this.#clock;
    const paths = pathsIn(output, this.#cwd);
    for (const path of paths) {
      const known = this.#inHand(this.#seen.get(path));
      const before = known === undefined ? 0 : faded(known.weight, known.at, calls, "path");
      const own = known?.path ?? ownCopy(path);
      this.#seen.set(own, { path: own, weight: rounded(before + 1 / paths.length), at: calls, window });
    }
    if (this.#seen.size > KEPT.seen * 2) this.#seen = lightestCut(this.#seen, KEPT.seen, calls, "path");
  }
}

/** A part of a text holds on to all of it. */
function ownCopy(part: string): string {
  return [...part].join("");
}

/** Facts are written down, and nobody needs more of it. */
function rounded(weight: number): number {
  return Math.round(weight * 1_000) / 1_000;
}

function isOutside({ from, to = Number.POSITIVE_INFINITY }: LineRange): (other: LineRange) => boolean {
  return (other) => other.from < from || (other.to ?? Number.POSITIVE_INFINITY) > to;
}

function cutOldest<T>(entries: Map<string, T>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

function lightestCut<T extends { weight: number; at: number }>(
  entries: Map<string, T>,
  most: number,
  calls: number,
  kind: "name" | "path",
): Map<string, T> {
  const heaviest = [...entries]
    .map((entry) => ({ entry, weight: faded(entry[1].weight, entry[1].at, calls, kind) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most);
  return new Map(heaviest.map(({ entry }) => entry));
}
