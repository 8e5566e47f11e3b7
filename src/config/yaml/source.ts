import { inUnits, readBounded, UnfitFileError } from "../../files/bounded-file.ts";
import { codeOf } from "../../util/errors.ts";
import { ConfigError, type Place } from "../error.ts";
import { CONFIG_LIMITS } from "../limits.ts";
import { drawExcerpt, positionOf } from "./excerpt.ts";

/** A file of the configuration, and what the paths in it are relative to. */
export interface SourceFile {
  path: string;
  text: string;
  root: string;
  home: string;
}

/** A range of a file's text, in characters from its start. */
export interface Span {
  file: SourceFile;
  start: number;
  end: number;
}

export function placeOf(span: Span, shown: "line" | "up to the mark" = "line"): Place {
  return { file: span.file.path, ...positionOf(span.file, span.start), excerpt: drawExcerpt(span, shown) };
}

/** Throws a ConfigError that says why the file cannot be read. */
export function readText(file: string, limit: number = CONFIG_LIMITS.bytes): string {
  let bytes: Buffer;
  try {
    bytes = readBounded(file, limit);
  } catch (error) {
    throw new ConfigError([{ file, ...whyUnreadable(error, limit) }]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError([{ file, message: "the file is not UTF-8 text", fix: "save it as UTF-8" }]);
  }
}

function whyUnreadable(error: unknown, limit: number): { message: string; fix: string } {
  if (error instanceof UnfitFileError) return UNFIT[error.unfit](limit);
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { message: "there is no such file", fix: "check the path, or write a file with: baton init" };
    case "ELOOP":
      return { message: "the link leads back to itself", fix: "point it at the file" };
    case "EACCES":
    case "EPERM":
      return { message: "the file cannot be read: permission denied", fix: "allow it with: chmod u+r" };
    default:
      return { message: `the file cannot be read: ${String(error)}`, fix: "check the disk and the path" };
  }
}

const UNFIT: Record<UnfitFileError["unfit"], (limit: number) => { message: string; fix: string }> = {
  folder: () => ({ message: "this is a folder, not a file", fix: "give the path of the file in it" }),
  "no-file": () => ({
    message: "this is a pipe, a socket or a device, not a file",
    fix: "put a regular file in its place",
  }),
  "too-large": (limit) => ({
    message: `the file is larger than ${inUnits(limit)}, the most that is read of it`,
    fix: "remove what does not belong in it, or give agents files of their own",
  }),
};
