import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { draftOf, draftsLeft, foldersLeft, scratchFolder } from "./scratch.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "scratch-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Another process makes a folder and a draft, and is gone. */
function leftIn(folder: string): { made: string; draft: string } {
  const code = `
    const { scratchFolder, draftOf } = await import(${JSON.stringify(join(import.meta.dirname, "scratch.ts"))});
    const made = scratchFolder("index", ${JSON.stringify(join(folder, "baton"))});
    console.log(JSON.stringify({ made, draft: draftOf(${JSON.stringify(join(folder, "notes.md"))}) }));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  const left = JSON.parse(said);
  writeFileSync(join(left.made, "index"), "half");
  writeFileSync(left.draft, "half");
  return left;
}

it("finds what a dead process left, and not what a living one has", () => {
  const folder = emptyFolder();
  const mine = scratchFolder("index", join(folder, "baton"));
  writeFileSync(draftOf(join(folder, "notes.md")), "half");
  const { made, draft } = leftIn(folder);
  expect(foldersLeft(folder)).toEqual([made]);
  expect(draftsLeft(folder)).toEqual([draft]);
  expect(existsSync(mine)).toBe(true);
});

it("finds drafts below a folder where that is asked for", () => {
  const folder = emptyFolder();
  const inner = join(folder, "a", "b");
  mkdirSync(inner, { recursive: true });
  const { draft } = leftIn(inner);
  expect(draftsLeft(folder)).toEqual([]);
  expect(draftsLeft(folder, { below: true })).toEqual([draft]);
});

it("takes what only looks like it for nobody's", () => {
  const folder = emptyFolder();
  const { made, draft } = leftIn(folder);
  rmSync(made, { recursive: true });
  rmSync(draft);
  const name = basename(made);
  const [, , pid, began, where = "", random] = name.split("-");
  const elsewhere = `${where.slice(0, 6)}ffffff${where.slice(12)}`;
  const inContainer = `${where.slice(0, 12)}ffffff`;
  const lookAlikes = [
    "baton-index",
    "baton-index-Xy12ab",
    `baton-index-${pid}`,
    `my-${name}`,
    `${name}-mine`,
    `baton-index-${pid}-${began}-${elsewhere}-${random}`,
    `baton-index-${pid}-${began}-${inContainer}-${random}`,
  ];
  for (const each of lookAlikes) mkdirSync(join(folder, each));
  const others = emptyFolder();
  symlinkSync(others, join(folder, name));
  writeFileSync(join(folder, ".writing-1234-1700000000000-abc"), "of an earlier version");
  symlinkSync(join(others, "x"), draft);
  expect(foldersLeft(folder)).toEqual([]);
  expect(draftsLeft(folder)).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(lookAlikes.length + 3);
});

it("finds what was left before the machine was started again, whoever has the number now", () => {
  const folder = emptyFolder();
  const name = basename(scratchFolder("index", join(folder, "baton")));
  const [, , pid, began, where = "", random] = name.split("-");
  const earlier = `baton-index-${pid}-${began}-ffffff${where.slice(6)}-${random}`;
  mkdirSync(join(folder, earlier));
  expect(foldersLeft(folder)).toEqual([join(folder, earlier)]);
});
