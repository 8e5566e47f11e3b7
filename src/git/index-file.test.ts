import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRemote, createRepository, git, write } from "../../test/job-worktree.ts";
import { hasOnlyPlainFiles, namesNothingLike } from "./index-file.ts";

async function createIndex() {
  const { repo, top } = await createRepository();
  const names = ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "ä ✓", "d/e/f"];
  await write(repo, Object.fromEntries(names.map((name) => [name, name])));
  await git(repo, "add", "-A");
  return { repo, top, index: join(repo, ".git", "index") };
}

it("is sure of an index with files only, as git first writes it and later", async () => {
  const { repo, index } = await createIndex();
  expect(await hasOnlyPlainFiles(index)).toBe(true);
  await git(repo, "commit", "-q", "-m", "All");
  await git(repo, "status");
  await git(repo, "update-index", "--untracked-cache");
  expect(await hasOnlyPlainFiles(index)).toBe(true);
});

it.each([
  ["a file that is assumed to be unchanged", ["update-index", "--assume-unchanged", "abcd"]],
  ["a file that is not to be checked out", ["update-index", "--skip-worktree", "d/e/f"]],
  ["another version", ["update-index", "--index-version", "4"]],
  ["two parts", ["update-index", "--split-index"]],
])("leaves it to git when the index has %s", async (_, args) => {
  const { repo, index } = await createIndex();
  await git(repo, ...args);
  expect(await hasOnlyPlainFiles(index)).toBe(false);
});

it("leaves it to git when the index has a submodule, or a name longer than it can tell", async () => {
  const { repo, top, index } = await createIndex();
  await git(repo, "submodule", "add", "-q", await createRemote(top, "library", { x: "x" }), "vendor/lib");
  expect(await hasOnlyPlainFiles(index)).toBe(false);
  await git(repo, "reset", "-q", "--hard");
  expect(await hasOnlyPlainFiles(index)).toBe(true);
  const [blob, long] = [await git(repo, "hash-object", "-w", "a.txt"), `${"long/".repeat(900)}x`];
  await git(repo, "update-index", "--add", "--cacheinfo", `100644,${blob},${long}`);
  expect(await hasOnlyPlainFiles(index)).toBe(false);
});

it("leaves it to git when the object names are longer, the file is cut off, broken or not there", async () => {
  const { repo, top, index } = await createIndex();
  await git(repo, "init", "-q", "--object-format=sha256", join(top, "other"));
  await write(join(top, "other"), { a: "a", b: "b", c: "c" });
  await git(join(top, "other"), "add", "-A");
  expect(await hasOnlyPlainFiles(join(top, "other", ".git", "index"))).toBe(false);
  const bytes = await readFile(index);
  for (const length of [0, 10, 40, 200, bytes.length - 1]) {
    await writeFile(index, bytes.subarray(0, length));
    expect(await hasOnlyPlainFiles(index), `${length} bytes`).toBe(false);
  }
  expect(await hasOnlyPlainFiles(join(top, "not-there"))).toBe(false);
});

it("is sure that a name is in no index, and leaves all else to git", async () => {
  const { repo, top, index } = await createIndex();
  expect(await namesNothingLike(index, ".baton")).toBe(true);
  expect(await namesNothingLike(join(top, "not-there"), ".baton")).toBe(true);
  await git(repo, "update-index", "--assume-unchanged", "abcd");
  expect(await namesNothingLike(index, ".baton")).toBe(true);
  for (const name of [".baton/baton.db", ".Baton/BATON.DB", "packages/a/.baton/baton.db"]) {
    const added = await createIndex();
    await write(added.repo, { [name]: "theirs" });
    await git(added.repo, "add", "-A", "-f");
    expect(await namesNothingLike(added.index, ".baton"), name).toBe(false);
  }
  for (const args of [["--index-version", "4"], ["--split-index"], ["--skip-worktree", "d/e/f"]]) {
    const other = await createIndex();
    await git(other.repo, "update-index", ...args);
    expect(await namesNothingLike(other.index, ".baton"), args.join(" ")).toBe(false);
  }
  await writeFile(index, "no index");
  expect(await namesNothingLike(index, ".baton")).toBe(false);
});
