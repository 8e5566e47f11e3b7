import type { LineRange } from "../../agents/agent.ts";
import { faded, isStillInHand, type WorkingFile, type WorkingName, type WorkingSet } from "./working-set.ts";

/** How much of it a document shows. */
const MOST = { files: 14, searches: 6, tests: 10, pattern: 120 } as const;
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
  const names = namesToShow(set, rest).slice(0, most.names);
  const byFile = Map.groupBy(names, ({ file }) => file);
  const files = set.files
    .filter((file) => isStillInHand(file, set.window))
    .toReversed()
    .filter(({ path, lines }) => byFile.has(path) || lines !== undefined)
    .slice(0, MOST.files);
  const listed = new Set(files.map(({ path }) => path));
  const elsewhere = names.filter(({ file }) => file === undefined || !listed.has(file));
  const seen = seenPaths(set)
    .filter((path) => !known.has(path) && !missing.has(path))
    .slice(0, most.seen);
  return {
    lines: [
      ...files.map((file) => fileLine(file, byFile.get(file.path) ?? [])),
      ...entry(
        "Elsewhere",
        elsewhere.map(({ name }) => code(name)),
      ),
      ...failures(set),
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

function failures({ failures, window }: WorkingSet): string[] {
  return failures
    .filter((failure) => failure.tests.length > 0 && isStillInHand(failure, window))
    .toReversed()
    .map(({ command, tests }) => {
      const more = tests.length > MOST.tests ? ` and ${tests.length - MOST.tests} more` : "";
      const listed = tests.slice(0, MOST.tests).map(code).join(", ");
      return `Failed and not passed since: ${listed}${more} (${code(command)})`;
    });
}

function searches({ searches, window }: WorkingSet): string[] {
  return searches
    .filter((search) => isStillInHand(search, window) && search.pattern.length <= MOST.pattern)
    .toReversed()
    .slice(0, MOST.searches)
    .map(({ pattern, path }) => (path === undefined ? code(pattern) : `${code(pattern)} in ${code(path)}`));
}

function seenPaths({ seen, calls, window }: WorkingSet): string[] {
  return seen
    .filter((entry) => isStillInHand(entry, window))
    .map(({ path, weight, at }) => ({ path, weight: faded(weight, at, calls, "path") }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ path }) => path);
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
