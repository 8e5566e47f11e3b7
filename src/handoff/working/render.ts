import type { LineRange } from "../../agents/events.ts";
import { faded, isStillInHand, type WorkingFile, type WorkingName, type WorkingSet } from "./working-set.ts";

/** How much of it a document shows. */
const MOST = { files: 14, searches: 6, tests: 10, pattern: 120, listed: 150 } as const;
/** A name that weighs less was not in hand lately. */
const LIGHTEST = 0.27;

export interface ShownWorkingSet {
  /** In one entry for each file, newest first. */
  lines: string[];
  /** Files that stand there, or were printed and not opened. */
  files: Set<string>;
}

export interface Beside {
  /** Names that stand in the rest of the document need not be said again. */
  rest: string;
  /** Files that are named there. */
  known: ReadonlySet<string>;
  missing: ReadonlySet<string>;
  most: { names: number; seen: number };
}

export function shownWorkingSet(set: WorkingSet, { rest, known, missing, most }: Beside): ShownWorkingSet {
  const failed = openFailures(set);
  const tests = failed.reduce((sum, { shown }) => sum + shown.length + 1, 0);
  const names = namesToShow(set, rest).slice(0, Math.min(most.names, MOST.listed - tests));
  const byFile = Map.groupBy(names, ({ file }) => file);
  const files = set.files
    .filter((file) => isStillInHand(file, set.window))
    .toReversed()
    .filter(({ path, lines }) => byFile.has(path) || lines !== undefined)
    .slice(0, MOST.files);
  const listed = new Set(files.map(({ path }) => path));
  const elsewhere = names.filter(({ file }) => file === undefined || !listed.has(file));
  const seen = seenPaths(set, known)
    .filter((path) => !known.has(path) && !missing.has(path))
    .slice(0, most.seen);
  return {
    lines: [
      ...files.map((file) => fileLine(file, byFile.get(file.path) ?? [])),
      ...entry(
        "Elsewhere",
        elsewhere.map(({ name }) => code(name)),
      ),
      ...failed.map(failureLine),
      ...entry("Searched for", searches(set)),
      ...entry("Named in what tools printed, not opened yet", seen.map(code)),
    ],
    files: listed,
  };
}

function namesToShow({ names, calls, window }: WorkingSet, rest: string): WorkingName[] {
  const said = new Set(rest.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
  return names
    .filter((name) => name.code && isStillInHand(name, window) && !said.has(name.name))
    .map((name) => ({ ...name, weight: faded(name.weight, name.at, calls, "name") }))
    .filter(({ weight }) => weight >= LIGHTEST)
    .sort((a, b) => b.weight - a.weight);
}

function fileLine({ path, lines = [] }: WorkingFile, names: readonly WorkingName[]): string {
  const changed = names.filter((name) => name.changed);
  const others = names.filter((name) => !name.changed);
  const parts = [
    lines.length > 0 ? `read ${lines.map(range).join(", ")}` : "",
    changed.length > 0 ? `changed ${inCode(changed)}` : "",
    others.length > 0 ? `with ${inCode(others)}` : "",
  ];
  return `${code(path)}: ${parts.filter(Boolean).join("; ")}`;
}

interface OpenFailure {
  command: string;
  shown: string[];
  more: number;
}

function openFailures({ failures, window }: WorkingSet): OpenFailure[] {
  return failures
    .filter((failure) => failure.tests.length > 0 && isStillInHand(failure, window))
    .toReversed()
    .map(({ command, tests }) => {
      const shown = tests.slice(0, MOST.tests);
      return { command, shown, more: tests.length - shown.length };
    });
}

function failureLine({ command, shown, more }: OpenFailure): string {
  const rest = more > 0 ? ` and ${more} more` : "";
  return `Failed and not passed since: ${shown.map(code).join(", ")}${rest} (${code(command)})`;
}

function searches({ searches, window }: WorkingSet): string[] {
  return searches
    .filter((search) => isStillInHand(search, window) && search.pattern.length <= MOST.pattern)
    .toReversed()
    .slice(0, MOST.searches)
    .map(({ pattern, path }) => (path === undefined ? code(pattern) : `${code(pattern)} in ${code(path)}`));
}

/** A path that is the end of another one is that file, named from a folder further in. */
function seenPaths({ seen, calls, window }: WorkingSet, known: ReadonlySet<string>): string[] {
  const inHand = seen.filter((entry) => isStillInHand(entry, window));
  const ends = new Set([...known, ...inHand.map(({ path }) => path)].flatMap(shorterNames));
  return inHand
    .filter(({ path }) => !ends.has(path))
    .map(({ path, weight, at }) => ({ path, weight: faded(weight, at, calls, "path") }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ path }) => path);
}

function shorterNames(path: string): string[] {
  const folders = path.split("/");
  return folders.slice(1).map((_, index) => folders.slice(index + 1).join("/"));
}

function entry(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}: ${items.join(", ")}`];
}

function inCode(names: readonly WorkingName[]): string {
  return names.map(({ name }) => code(name)).join(", ");
}

function range({ from, to }: LineRange): string {
  return to === undefined ? `from line ${from}` : `lines ${from}–${to}`;
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
