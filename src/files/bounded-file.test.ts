import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { inUnits, readBeginning, readBounded, readBoundedText, UnfitFileError } from "./bounded-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-bounded-"));
  path = join(folder, "file");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reads a file that is as large as it may be, and refuses one byte more", () => {
  writeFileSync(path, "é".repeat(512));
  expect(readBoundedText(path, 1024)).toBe("é".repeat(512));
  expect(() => readBounded(path, 1023)).toThrow(UnfitFileError);
});

it("says which file, which limit, and what to do", () => {
  writeFileSync(path, "x".repeat(65 * 1024));
  expect(() => readBounded(path, 64 * 1024)).toThrow(
    `${path} is larger than 64 kB, and Baton reads no more of such a file. Shorten it.`,
  );
});

it("does not wait for somebody to write into a pipe", () => {
  execFileSync("mkfifo", [path]);
  expect(() => readBounded(path, 10)).toThrow("is a pipe, a socket or a device");
  expect(() => readBeginning(path, 10)).toThrow("is a pipe, a socket or a device");
});

it("reads neither folders nor devices, also behind a link", () => {
  mkdirSync(path);
  expect(() => readBounded(path, 10)).toThrow("is a folder, not a file");
  symlinkSync("/dev/zero", `${path}-link`);
  expect(() => readBounded(`${path}-link`, 10)).toThrow("is a pipe, a socket or a device");
});

it("stops at the limit of a file that says it is empty", () => {
  expect(readBoundedText("/proc/self/status", 64 * 1024)).toContain("Pid:");
  expect(() => readBounded("/proc/self/status", 10)).toThrow("is larger than");
});

it("reads the beginning of a longer file", () => {
  writeFileSync(path, "abcdef");
  expect(readBeginning(path, 3)).toBe("abc");
});

it("names sizes as people do", () => {
  expect([inUnits(64 * 1024), inUnits(4 * 1024 * 1024)]).toEqual(["64 kB", "4 MB"]);
});
