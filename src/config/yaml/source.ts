import { readFileSync } from "node:fs";
import { codeOf } from "../../util/errors.ts";
import { ConfigError, type Place } from "../error.ts";
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
  const { path, text } = span.file;
  return { file: path, ...positionOf(text, span.start), excerpt: drawExcerpt(text, span, shown) };
}

/** Throws a ConfigError that says why the file cannot be read. */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ConfigError([{ file, ...whyUnreadable(error) }]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError([{ file, message: "the file is not UTF-8 text", fix: "save it as UTF-8" }]);
  }
}

function whyUnreadable(error: unknown): { message: string; fix: string } {
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { message: "there is no such file", fix: "check the path, or write a file with: baton init" };
    case "EISDIR":
      return { message: "this is a folder, not a file", fix: "give the path of the file in it" };
    case "ELOOP":
      return { message: "the link leads back to itself", fix: "point it at the file" };
    case "EACCES":
    case "EPERM":
      return { message: "the file cannot be read: permission denied", fix: "allow it with: chmod u+r" };
    default:
      return { message: `the file cannot be read: ${String(error)}`, fix: "check the disk and the path" };
  }
}
