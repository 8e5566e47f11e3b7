import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newestChange } from "./newest-change.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-change-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, second: number): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), "");
  for (let at = path; at !== "."; at = join(at, "..")) utimesSync(join(folder, at), second, second);
}

it("finds the newest change below a folder, but not in what programs make", async () => {
  write("a.txt", 100);
  write("deep/er/b.txt", 200);
  write("node_modules/c/d.js", 300);
  write(".baton/baton.db", 300);
  write("worktrees/one/.git", 300);
  for (const name of ["node_modules", ".baton", "worktrees", "worktrees/one"])
    utimesSync(join(folder, name), 50, 50);
  expect(await newestChange(folder)).toBe(200_000);
});

it("looks at so many entries and no more, and at nothing where there is nothing", async () => {
  write("deep/er/b.txt", 200);
  utimesSync(join(folder, "deep"), 50, 50);
  expect(await newestChange(folder, 1)).toBe(50_000);
  expect(await newestChange(join(folder, "gone"))).toBeUndefined();
});
