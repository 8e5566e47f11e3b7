import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { git } from "../../git/git.ts";
import { excludeFromGit, noLongerExclude } from "./exclude.ts";

let root: string;
let exclude: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-exclude-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await git(root, ["init", "-q"]);
  exclude = join(root, ".git", "info", "exclude");
});

const changes = () => git(root, ["status", "--porcelain", "--untracked-files=all"]);

it("leaves out that one file, wherever its folder is in the repository, and gives it back", async () => {
  const folder = join(root, "packages", "[door]");
  await mkdir(folder, { recursive: true });
  for (const path of [join(folder, "mine.json"), join(root, "mine.json")]) await writeFile(path, "{}");
  await writeFile(exclude, "*.tmp");
  expect(await excludeFromGit(folder, "mine.json")).toBe(exclude);
  expect(await changes()).toBe("?? mine.json");
  expect(await excludeFromGit(folder, "mine.json")).toBeUndefined();

  expect(await noLongerExclude(folder, "mine.json")).toBe(exclude);
  expect(await readFile(exclude, "utf8")).toBe("*.tmp\n");
  expect(await noLongerExclude(folder, "mine.json")).toBeUndefined();
});

it("does nothing where the file is tracked or ignored, and leaves a line that a person wrote", async () => {
  await writeFile(join(root, "mine.json"), "{}");
  await git(root, ["add", "mine.json"]);
  expect(await excludeFromGit(root, "mine.json")).toBeUndefined();
  await git(root, ["rm", "-q", "--cached", "mine.json"]);
  await writeFile(exclude, "/mine.json\n");
  expect(await excludeFromGit(root, "mine.json")).toBeUndefined();
  expect(await noLongerExclude(root, "mine.json")).toBeUndefined();
  expect(await readFile(exclude, "utf8")).toBe("/mine.json\n");
});

it("stays for another worktree that has the file, until that gives it back", async () => {
  const asSomebody = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  await git(root, [...asSomebody, "commit", "-q", "--allow-empty", "-m", "Begin"]);
  const tree = join(root, ".trees", "one");
  await git(root, ["worktree", "add", "-q", tree]);
  for (const folder of [root, tree]) await writeFile(join(folder, "mine.json"), "{}");
  expect(await excludeFromGit(root, "mine.json")).toBe(exclude);
  expect(await excludeFromGit(tree, "mine.json")).toBeUndefined();

  await rm(join(root, "mine.json"));
  expect(await noLongerExclude(root, "mine.json")).toBeUndefined();
  await rm(join(tree, "mine.json"));
  expect(await noLongerExclude(tree, "mine.json")).toBe(exclude);
});

it("does nothing outside a repository", async () => {
  await rm(join(root, ".git"), { recursive: true });
  await writeFile(join(root, "mine.json"), "{}");
  expect(await excludeFromGit(root, "mine.json")).toBeUndefined();
  expect(await noLongerExclude(root, "mine.json")).toBeUndefined();
});
