import { beforeEach, describe, expect, it } from "vitest";
import { commit, createRepository, git, write } from "../../../test/job-worktree.ts";
import { isMerged } from "./merged.ts";

let repo: string;
let base: string;

/** Two commits on `work`, two on `main`, both from `base`. */
beforeEach(async () => {
  repo = (await createRepository()).repo;
  base = await commit(repo, { "long.txt": lines({}) });
  await git(repo, "checkout", "-q", "-b", "work");
  await commit(repo, { "long.txt": lines({ 3: "three" }) });
  await commit(repo, { "long.txt": lines({ 3: "three", 5: "five" }), "new.txt": "new\n" });
  await git(repo, "checkout", "-q", "main");
  await commit(repo, { "main-1.txt": "1" });
  await commit(repo, { "main-2.txt": "2" });
});

/** Twenty lines, some of them other than usual. */
function lines(others: Record<number, string>): string {
  return Array.from({ length: 20 }, (_, n) => `${others[n] ?? `line ${n}`}\n`).join("");
}

const sha = (revision: string) => git(repo, "rev-parse", revision);
const merged = async (commit = "work", since = base) =>
  isMerged(repo, await sha(commit), await sha(since), await sha("main"));

describe("work is merged", () => {
  it("by a merge", async () => {
    await git(repo, "merge", "-q", "--no-ff", "-m", "Merge", "work");
    expect(await merged()).toBe(true);
  });

  it("by a squash", async () => {
    await git(repo, "merge", "-q", "--squash", "work");
    await git(repo, "commit", "-q", "-m", "Squash");
    await commit(repo, { "later.txt": "later" });
    expect(await merged()).toBe(true);
  });

  it("by a squash, with other changes around it since", async () => {
    await git(repo, "merge", "-q", "--squash", "work");
    await git(repo, "commit", "-q", "-m", "Squash");
    await commit(repo, { "long.txt": lines({ 3: "three", 5: "five", 8: "eight" }) });
    expect(await merged()).toBe(true);
  });

  it("by a squash that was changed again since", async () => {
    await git(repo, "merge", "-q", "--squash", "work");
    await git(repo, "commit", "-q", "-m", "Squash");
    await commit(repo, { "long.txt": lines({ 3: "third", 5: "fifth" }) });
    expect(await merged()).toBe(true);
  });

  it("by a rebase, also when it was changed again since", async () => {
    await git(repo, "cherry-pick", "main..work");
    expect(await merged()).toBe(true);
    await commit(repo, { "long.txt": lines({ 3: "third", 5: "fifth" }) });
    expect(await merged()).toBe(true);
  });

  it("by a squash after the base branch was merged into the work", async () => {
    await git(repo, "checkout", "-q", "work");
    await git(repo, "merge", "-q", "-m", "Take in main", "main");
    await git(repo, "checkout", "-q", "main");
    expect(await merged()).toBe(false);
    await git(repo, "merge", "-q", "--squash", "work");
    await git(repo, "commit", "-q", "-m", "Squash");
    await commit(repo, { "long.txt": lines({ 3: "third", 5: "fifth" }) });
    expect(await merged()).toBe(true);
  });

  it("when there is none, as far as commits go", async () => {
    await git(repo, "branch", "untouched", base);
    expect(await merged("untouched")).toBe(true);
  });

  it("when there is none, and the base is no longer in the base branch", async () => {
    await git(repo, "branch", "untouched", "main");
    const began = await sha("main");
    await git(repo, "reset", "-q", "--hard", "HEAD^");
    expect(await merged("untouched", began)).toBe(true);
  });

  it("when it comes to nothing", async () => {
    await git(repo, "checkout", "-q", "work");
    await git(repo, "revert", "--no-edit", "HEAD", "HEAD^");
    await git(repo, "checkout", "-q", "main");
    expect(await merged()).toBe(true);
  });
});

describe("work is not merged", () => {
  it("when nobody has merged it", async () => {
    expect(await merged()).toBe(false);
  });

  it("when only a part of it was taken over", async () => {
    await git(repo, "cherry-pick", "work^");
    expect(await merged()).toBe(false);
  });

  it("when a merge among its commits holds what no other commit has", async () => {
    await git(repo, "checkout", "-q", "work");
    await git(repo, "merge", "-q", "--no-commit", "--no-ff", "main");
    await write(repo, { "only-in-the-merge.txt": "x" });
    await git(repo, "add", "-A");
    await git(repo, "commit", "-q", "-m", "Take in main, and more");
    await git(repo, "checkout", "-q", "main");
    await git(repo, "cherry-pick", "work^~1", "work^");
    expect(await merged()).toBe(false);
  });

  it("when it shares no history with the base branch", async () => {
    await git(repo, "checkout", "-q", "--orphan", "other");
    await commit(repo, { "other.txt": "other" });
    await git(repo, "checkout", "-q", "main");
    expect(await merged("other")).toBe(false);
  });

  it("when it was merged and taken out of the history again", async () => {
    await git(repo, "merge", "-q", "--no-ff", "-m", "Merge", "work");
    await git(repo, "reset", "-q", "--hard", "HEAD^");
    expect(await merged()).toBe(false);
  });
});

it("asking leaves nothing new in the repository the second time", async () => {
  await merged();
  const objects = () => git(repo, "count-objects");
  const before = await objects();
  await merged();
  expect(await objects()).toBe(before);
});
