import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commit,
  createJobWorktree,
  createRemote,
  createSubmodule,
  git,
  type JobWorktree,
  write,
} from "../../../test/job-worktree.ts";
import { GitError } from "../../git/git.ts";
import { unpushedRepositories } from "./unpushed.ts";

const uncommitted = "has files that are not committed";
const oneCommit = "has a commit on none of its remotes";

describe("a submodule", () => {
  const cases: [string, string[], (library: string, worktree: JobWorktree) => Promise<unknown>][] = [
    ["as it was fetched is no obstacle", [], async () => {}],
    ["with a commit of its own is one", [oneCommit], (library) => commit(library, { "lib.c": "int y;" })],
    [
      "with a commit of its own that the worktree has committed too",
      [oneCommit],
      async (library, { path }) => {
        await commit(library, { "lib.c": "int y;" });
        await commit(path, {});
      },
    ],
    [
      "whose commit was pushed is none",
      [],
      async (library) => {
        await commit(library, { "lib.c": "int y;" });
        await git(library, "push", "-q", "origin", "HEAD:refs/heads/y");
      },
    ],
    [
      "with work on a branch that is not checked out",
      ["has 2 commits on none of its remotes"],
      async (library) => {
        await git(library, "checkout", "-q", "-b", "aside");
        await commit(library, { "1.c": "" });
        await commit(library, { "2.c": "" });
        await git(library, "checkout", "-q", "main");
      },
    ],
    [
      "with work that only a tag holds",
      [oneCommit],
      async (library) => {
        await commit(library, { "1.c": "" });
        await git(library, "tag", "kept");
        await git(library, "reset", "-q", "--hard", "HEAD^");
      },
    ],
    [
      "with something in its stash",
      ["has 2 commits on none of its remotes"],
      async (library) => {
        await write(library, { "lib.c": "int z;" });
        await git(library, "stash", "-q");
      },
    ],
    ["with an untracked file", [uncommitted], (library) => write(library, { "new.c": "" })],
    ["with a changed file", [uncommitted], (library) => write(library, { "lib.c": "int z;" })],
    [
      "with a change that git was told to overlook",
      [uncommitted],
      async (library) => {
        await git(library, "update-index", "--assume-unchanged", "lib.c");
        await write(library, { "lib.c": "int z;" });
      },
    ],
    [
      "whose changes .gitmodules says to ignore",
      [uncommitted],
      async (library, { path }) => {
        await git(path, "config", "-f", ".gitmodules", "submodule.vendor/lib.ignore", "all");
        await write(library, { "new.c": "" });
      },
    ],
    [
      "that is not checked out, with files in its place that git does not see",
      ["holds files, and its repository is not there"],
      async (library, { path }) => {
        await git(path, "submodule", "deinit", "-q", "-f", "vendor/lib");
        await write(library, { "written-here.c": "" });
      },
    ],
  ];
  it.each(cases)("%s", async (_, expected, prepare) => {
    const worktree = await createJobWorktree();
    await prepare(await createSubmodule(worktree), worktree);
    expect(await unpushedRepositories(worktree.path)).toEqual(
      expected.map((why) => ({ path: "vendor/lib", why })),
    );
  });

  it("that is no longer in the tree is found where git keeps it", async () => {
    const worktree = await createJobWorktree();
    await commit(await createSubmodule(worktree), { "lib.c": "int y;" });
    await git(worktree.path, "checkout", "-q", "-f", worktree.base);
    await rm(join(worktree.path, "vendor"), { recursive: true });
    const kept = join(worktree.repo, ".git", "worktrees", worktree.job, "modules", "vendor", "lib");
    expect(await unpushedRepositories(worktree.path)).toEqual([{ path: kept, why: oneCommit }]);
  });

  it("within a submodule is looked at too", async () => {
    const worktree = await createJobWorktree();
    const inner = await createRemote(worktree.top, "inner", { "inner.c": "" });
    const library = await createSubmodule(worktree);
    await git(library, "submodule", "add", "-q", inner, "deep/er");
    await commit(library, {});
    await git(library, "push", "-q", "origin", "HEAD:refs/heads/with-inner");
    expect(await unpushedRepositories(worktree.path)).toEqual([]);
    await commit(join(library, "deep/er"), { "inner.c": "int i;" });
    expect(await unpushedRepositories(worktree.path)).toEqual([
      { path: "vendor/lib", why: uncommitted },
      { path: "vendor/lib/deep/er", why: oneCommit },
    ]);
  });
});

describe("an embedded repository", () => {
  it("with commits, or without any, is an obstacle; an ignored one, and a bare one, is not", async () => {
    const { path } = await createJobWorktree();
    await write(path, { ".gitignore": "ignored/\n" });
    for (const name of ["begun", "un der/ committed ✓", "ignored"]) {
      await git(path, "init", "-q", join(path, name));
      await write(join(path, name), { "x.txt": "x" });
    }
    await commit(join(path, "un der/ committed ✓"), {});
    await git(path, "init", "-q", "--bare", join(path, "bare.git"));
    expect(await unpushedRepositories(path)).toEqual([
      { path: "begun", why: uncommitted },
      { path: "un der/ committed ✓", why: oneCommit },
    ]);
  });

  it("that the agent has committed as it is counts all the same", async () => {
    const { path } = await createJobWorktree();
    await git(path, "init", "-q", join(path, "tool"));
    await commit(join(path, "tool"), { "x.txt": "x" });
    await commit(path, {});
    expect(await git(path, "status", "--porcelain")).toBe("");
    expect(await unpushedRepositories(path)).toEqual([{ path: "tool", why: oneCommit }]);
  });

  it("within an embedded repository is looked at too", async () => {
    const worktree = await createJobWorktree();
    const outer = join(worktree.path, "outer");
    await git(worktree.path, "clone", "-q", worktree.remoteFolder, outer);
    await write(outer, { ".git/info/exclude": "" });
    await git(outer, "init", "-q", join(outer, "inner"));
    await commit(join(outer, "inner"), { "x.txt": "x" });
    expect(await unpushedRepositories(worktree.path)).toEqual([
      { path: "outer", why: uncommitted },
      { path: "outer/inner", why: oneCommit },
    ]);
  });

  it("that is a worktree of its own is an obstacle", async () => {
    const { path, repo } = await createJobWorktree();
    await git(repo, "worktree", "add", "-q", "-b", "nested", join(path, "nested"));
    expect(await unpushedRepositories(path)).toEqual([
      { path: "nested", why: "is a worktree of another repository" },
    ]);
  });

  it.each([
    ["has no HEAD", (dotGit: string) => rename(join(dotGit, "HEAD"), join(dotGit, "HEAD-away"))],
    [
      "points to nothing",
      async (dotGit: string) => {
        await rm(dotGit, { recursive: true });
        await writeFile(dotGit, "gitdir: ../nowhere");
      },
    ],
  ])("whose .git %s is never taken for the repository around it", async (_, breakIt) => {
    const { path } = await createJobWorktree();
    await git(path, "init", "-q", join(path, "broken"));
    await commit(join(path, "broken"), { "x.txt": "x" });
    await commit(path, {});
    await breakIt(join(path, "broken", ".git"));
    await expect(unpushedRepositories(path)).rejects.toThrow(GitError);
  });
});
