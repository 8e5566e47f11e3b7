import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** What a bomb aims at. */
type BombClass = "size" | "nesting" | "aliases" | "regex" | "quadratic" | "stack" | "no file" | "counts";

/** `go` returns what came of it, or throws: `ends` tells whether that is what the user should see. */
export interface Bomb {
  aims: BombClass;
  name: string;
  go: () => unknown;
  ends: RegExp | ((result: unknown) => boolean);
}

export const KB = 1024;
export const MB = 1024 * 1024;

/** A text of about so many characters. */
export function filled(bytes: number, text: string): string {
  return text.repeat(Math.floor(bytes / text.length));
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "baton-bombs-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A pipe that nobody writes to: whoever opens it as a file waits for ever. */
export function pipe(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}

export const atMost = (most: number) => (result: unknown) => Number(result) <= most;
export const is = (expected: unknown) => (result: unknown) => result === expected;
