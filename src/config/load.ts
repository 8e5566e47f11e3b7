import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Config } from "./config.ts";
import { ConfigError } from "./error.ts";
import { parseConfig } from "./parse.ts";

/** Reads a configuration file. Everything that is wrong with it comes in one ConfigError. */
export function loadConfig(path: string): Config {
  const file = resolve(path);
  return parseConfig(readText(file), file, homedir());
}

function readText(file: string): string {
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
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { message: "there is no such file", fix: "check the path, or write a file with: baton init" };
    case "EISDIR":
      return { message: "this is a folder, not a file", fix: "give the path of the file in it" };
    case "EACCES":
    case "EPERM":
      return { message: "the file cannot be read: permission denied", fix: "allow it with: chmod u+r" };
    default:
      return { message: `the file cannot be read: ${String(error)}`, fix: "check the disk and the path" };
  }
}
