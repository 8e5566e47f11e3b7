import { relative } from "node:path";
import { oneLine } from "../util/printable.ts";

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

  constructor(problems: readonly Problem[]) {
    const files = [...new Set(problems.map(({ file }) => file))];
    const sorted = problems.toSorted(
      (a, b) =>
        files.indexOf(a.file) - files.indexOf(b.file) ||
        (a.line ?? 0) - (b.line ?? 0) ||
        (a.column ?? 0) - (b.column ?? 0),
    );
    super(sorted.map(print).join("\n\n"));
    this.problems = sorted;
  }
}

function print({ file, line, column, message, excerpt, fix }: Problem): string {
  const fromHere = relative(process.cwd(), file);
  const shown = oneLine(fromHere.startsWith("..") || fromHere === "" ? file : fromHere);
  const where = line === undefined ? shown : `${shown}:${line}:${column}`;
  return [`${where}  ${message}`, ...(excerpt ? [excerpt] : []), `  ${fix}`].join("\n");
}
