import { relative } from "node:path";
import { messageOf } from "../util/errors.ts";
import { oneLine } from "../util/printable.ts";
import { CONFIG_LIMITS } from "./limits.ts";

/** Where in a file, and how it looks there. */
export interface Place {
  file: string;
  line: number;
  column: number;
  excerpt: string;
}

/** A file that cannot be read at all has no line. */
export interface Problem extends Partial<Place> {
  file: string;
  message: string;
  fix: string;
}

/** Everything that is wrong with the files of a configuration, at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];
  /** How many there are beside these. */
  readonly more: number;

  constructor(all: readonly Problem[], uncounted = 0) {
    const problems = all.slice(0, CONFIG_LIMITS.mistakes);
    const more = all.length - problems.length + uncounted;
    const files = [...new Set(problems.map(({ file }) => file))];
    const sorted = problems.toSorted(
      (a, b) =>
        files.indexOf(a.file) - files.indexOf(b.file) ||
        (a.line ?? 0) - (b.line ?? 0) ||
        (a.column ?? 0) - (b.column ?? 0),
    );
    const rest = more > 0 ? [`and ${more} more. Correct these first.`] : [];
    super([...sorted.map(problemText), ...rest].join("\n\n"));
    this.problems = sorted;
    this.more = more;
  }
}

/** What is wrong with a configuration, in a line: `baton config check` shows all of it. */
export function problemInALine(error: unknown): string {
  const first = oneLine(messageOf(error).split("\n", 1)[0] ?? "");
  const others = error instanceof ConfigError ? error.problems.length + error.more - 1 : 0;
  return others > 0 ? `${first}, and ${others} more` : first;
}

export function problemText({ file, line, column, message, excerpt, fix }: Problem): string {
  const fromHere = relative(process.cwd(), file);
  const shown = oneLine(fromHere.startsWith("..") || fromHere === "" ? file : fromHere);
  const where = line === undefined ? shown : `${shown}:${line}:${column}`;
  return [`${where}  ${message}`, ...(excerpt ? [excerpt] : []), `  ${fix}`].join("\n");
}
