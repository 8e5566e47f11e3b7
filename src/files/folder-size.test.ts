import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { folderSize } from "./folder-size.ts";

function folderOfFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-size-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "deep", "deeper"), { recursive: true });
  for (const place of ["", "deep", "deep/deeper"])
    writeFileSync(join(folder, place, "file"), "x".repeat(100_000));
  return folder;
}

it("adds up the files below a folder, and follows no link", async () => {
  const folder = folderOfFiles();
  symlinkSync("/usr", join(folder, "link"));
  const { bytes, isWhole } = await folderSize(folder);
  expect(isWhole).toBe(true);
  expect(bytes).toBeGreaterThanOrEqual(300_000);
  expect(bytes).toBeLessThan(600_000);
});

it("says that it stopped where there are very many", async () => {
  expect(await folderSize(folderOfFiles(), 3)).toMatchObject({ isWhole: false });
});

it("takes a folder that is gone for empty", async () => {
  expect(await folderSize("/nowhere/at/all")).toEqual({ bytes: 0, isWhole: true });
});
