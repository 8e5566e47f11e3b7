import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isThere, temporaryFolder, write } from "../../../test/job-worktree.ts";
import { deleteInBackground, sweepTrash, trashFor } from "./trash.ts";

it("sweeps up what removals have left, and nothing else", async () => {
  const folder = await temporaryFolder();
  const left = trashFor(join(folder, "job-2026-01-01-abc123"), "job-2026-01-01-abc123");
  const trash = join(folder, ".trash");
  const others = ["notes", "job-2026-01-01-abc123", "job-2026-01-01-abc123-mine", "x-0123456789ab"];
  for (const path of [left, ...others.map((name) => join(trash, name))])
    await write(path, { "a/b.txt": "b" });
  expect(await sweepTrash(folder)).toEqual([left.slice(trash.length + 1)]);
  await expect.poll(() => readdir(trash)).toEqual(others.sort());
  expect(await sweepTrash(join(folder, "not-there"))).toEqual([]);
});

it.skipIf(process.getuid?.() === 0)("deletes folders that may not be written to", async () => {
  const folder = join(await temporaryFolder(), "cache");
  await write(folder, { "module/a.go": "package a" });
  await chmod(join(folder, "module"), 0o555);
  deleteInBackground([folder]);
  await expect.poll(() => isThere(folder)).toBe(false);
});
