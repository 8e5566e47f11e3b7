import { cp, mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addJobWorktree,
  checkpointOf,
  commit,
  createJobWorktree,
  createRepository,
  git,
  gone,
  type JobWorktree,
  leftOf,
  refIn,
  remove,
  temporaryFolder,
  trashOf,
  whole,
  write,
} from "../../../test/job-worktree.ts";
import { openIfBare } from "../../git/bare.ts";

const push = ({ path, branch }: JobWorktree) =>
  git(path, "push", "-q", "origin", `HEAD:refs/heads/${branch}`);

describe("a worktree that goes", () => {
  it("leaves no folder, no branch and no trash when nothing was done in it", async () => {
    const worktree = await createJobWorktree();
    expect(await remove(worktree)).toEqual({ removed: true, branchKept: false });
    expect(await leftOf(worktree)).toEqual(gone);
    expect(await checkpointOf(worktree)).toBe(worktree.base);
    await expect.poll(() => trashOf(worktree)).toEqual([]);
  });

  it("has a checkpoint of changed, staged, deleted and untracked files", async () => {
    const worktree = await createJobWorktree();
    const { path, repo } = worktree;
    await write(path, { "a.txt": "changed\n", "staged.txt": "staged\n", "deep/er/new ✓.txt": "new\n" });
    await git(path, "add", "staged.txt");
    await unlink(join(path, "b/c.txt"));
    const seen: unknown[] = [];
    const result = await remove(worktree, { checkpointed: (made) => seen.push(made) });
    expect(result).toEqual({ removed: true, branchKept: false });
    const kept = await checkpointOf(worktree);
    expect(seen).toEqual([expect.objectContaining({ ref: `refs/baton/${worktree.job}/1`, commit: kept })]);
    expect(await git(repo, "ls-tree", "-r", "-z", "--name-only", kept)).toBe(
      ["a.txt", "deep/er/new ✓.txt", "staged.txt", ""].join("\0"),
    );
    expect(await git(repo, "show", `${kept}:a.txt`)).toBe("changed");
  });

  it("takes its branch along when the remote has the same commit", async () => {
    const worktree = await createJobWorktree();
    const head = await commit(worktree.path, { "new.txt": "new\n" });
    await push(worktree);
    const told: unknown[] = [];
    const result = await remove(worktree, {
      endProcesses: async () => void told.push("end processes"),
      checkpointed: ({ commit }) => told.push(commit),
      removing: async (plan) => {
        expect(await leftOf(worktree)).toEqual(whole);
        told.push(plan);
      },
    });
    expect(result).toEqual({ removed: true, branchKept: false });
    const trash = expect.stringContaining(join("worktrees", ".trash", `${worktree.job}-`));
    expect(told).toEqual(["end processes", head, { trash, deleteBranch: head }]);
    expect(await leftOf(worktree)).toEqual(gone);
    expect(await refIn(worktree.remoteFolder, worktree.branch)).toBe(head);
  });

  it("is gone already when there is neither a folder nor a record of it", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.repo, "worktree", "remove", "--force", "--force", worktree.path);
    expect(await remove(worktree)).toEqual({ removed: true, branchKept: false });
    expect(await leftOf(worktree)).toEqual(gone);
  });

  it("leaves the branch with its work when somebody has removed the worktree", async () => {
    const worktree = await createJobWorktree();
    await commit(worktree.path, { "new.txt": "new\n" });
    await git(worktree.repo, "worktree", "remove", "--force", "--force", worktree.path);
    expect(await remove(worktree)).toMatchObject({ removed: true, branchKept: true });
    expect(await leftOf(worktree)).toEqual({ ...gone, branch: true });
  });

  it("is forgotten by git when somebody has deleted its folder", async () => {
    const worktree = await createJobWorktree();
    const head = await commit(worktree.path, { "new.txt": "new\n" });
    await rm(worktree.path, { recursive: true });
    expect(await remove(worktree)).toMatchObject({ removed: true, branchKept: true });
    expect(await leftOf(worktree)).toEqual({ ...gone, branch: true });
    expect(await checkpointOf(worktree)).toBe(head);
  });

  it("may have names that look like options, with blanks, quotes, line ends and emoji", async () => {
    const repository = await createRepository();
    const folder = join(repository.top, "--force 'x'\n\"📁\"");
    const branch = "-D/--force/@📦";
    const worktree = await addJobWorktree(repository, "job-2026-01-01-abc123", "fine", folder);
    await git(repository.repo, "branch", "-m", "fine", "x");
    await git(repository.repo, "update-ref", `refs/heads/${branch}`, "x");
    await git(worktree.path, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    await write(worktree.path, { "--upload-pack=x": "1", "new\nline": "2", '"quoted"': "3", "-rf/*": "4" });
    const result = await remove({ ...worktree, branch });
    expect(result).toEqual({ removed: true, branchKept: false });
    expect(await leftOf({ ...worktree, branch })).toEqual(gone);
    const kept = await git(
      repository.repo,
      "ls-tree",
      "-r",
      "-z",
      "--name-only",
      await checkpointOf(worktree),
    );
    expect(kept.split("\0")).toEqual(
      expect.arrayContaining(["--upload-pack=x", "new\nline", '"quoted"', "-rf/*", "a.txt"]),
    );
    await expect.poll(() => trashOf(worktree)).toEqual([]);
  });

  it("is found through a symbolic link to the folder of worktrees", async () => {
    const worktree = await createJobWorktree();
    const link = join(worktree.top, "link");
    await symlink(join(worktree.top, "worktrees"), link);
    expect(await remove({ ...worktree, path: join(link, worktree.job) })).toMatchObject({ removed: true });
    expect(await leftOf(worktree)).toEqual(gone);
  });

  it("may be one of a bare repository", async () => {
    const { top, remoteFolder } = await createRepository();
    await openIfBare(remoteFolder);
    await git(remoteFolder, "update-ref", "refs/remotes/origin/main", "main");
    const worktree = await addJobWorktree({ top, repo: remoteFolder, remoteFolder }, "job-2026-01-01-abc123");
    await write(worktree.path, { "new.txt": "new\n" });
    expect(await remove(worktree)).toEqual({ removed: true, branchKept: false });
    expect(await git(remoteFolder, "show", `${await checkpointOf(worktree)}:new.txt`)).toBe("new");
    expect(await git(remoteFolder, "worktree", "list", "--porcelain")).not.toContain("worktrees");
  });

  it("goes with nineteen others of its repository at once", async () => {
    const repository = await createRepository();
    const jobs = Array.from({ length: 20 }, (_, n) => `job-2026-01-01-${String(n).padStart(6, "0")}`);
    const worktrees: JobWorktree[] = [];
    for (const job of jobs) worktrees.push(await addJobWorktree(repository, job));
    for (const worktree of worktrees) await write(worktree.path, { [`${worktree.job}.txt`]: worktree.job });
    const results = await Promise.all(worktrees.map((worktree) => remove(worktree)));
    expect(results).toEqual(jobs.map(() => ({ removed: true, branchKept: false })));
    for (const worktree of worktrees) {
      expect(await leftOf(worktree)).toEqual(gone);
      expect(await git(repository.repo, "show", `${await checkpointOf(worktree)}:${worktree.job}.txt`)).toBe(
        worktree.job,
      );
    }
    await expect.poll(() => trashOf(worktrees[0] ?? { path: "" })).toEqual([]);
  });
});

describe("the branch stays, and the reason says so", () => {
  const cases: [string, RegExp, (worktree: JobWorktree) => Promise<Partial<JobWorktree> | undefined>][] = [
    [
      "when its commits were not pushed",
      /2 commits are not on origin/,
      async ({ path }) => {
        await commit(path, { "1.txt": "1" });
        await commit(path, { "2.txt": "2" });
        return undefined;
      },
    ],
    [
      "when one more came after the push",
      /1 commit is not on origin/,
      async (worktree) => {
        await commit(worktree.path, { "1.txt": "1" });
        await push(worktree);
        await commit(worktree.path, { "2.txt": "2" });
        return undefined;
      },
    ],
    [
      "when the remote has gone on",
      /origin has other commits on it/,
      async (worktree) => {
        await commit(worktree.path, { "1.txt": "1" });
        await commit(worktree.path, { "2.txt": "2" });
        await push(worktree);
        await git(worktree.path, "reset", "-q", "--hard", "HEAD^");
        return undefined;
      },
    ],
    [
      "when the remote has it under a name that only ends like it",
      /1 commit is not on origin/,
      async ({ path, branch }) => {
        await commit(path, { "1.txt": "1" });
        await git(path, "push", "-q", "origin", `HEAD:refs/heads/x/refs/heads/${branch}`);
        return undefined;
      },
    ],
    [
      "when the remote cannot be reached",
      /origin cannot be reached: .*does not appear to be a git repository/,
      async (worktree) => {
        await commit(worktree.path, { "1.txt": "1" });
        await push(worktree);
        await rename(worktree.remoteFolder, `${worktree.remoteFolder}-away`);
        return undefined;
      },
    ],
    [
      "when it is not known where it began",
      /its commits are not on origin/,
      async ({ path }) => {
        await commit(path, { "1.txt": "1" });
        return { base: "0123456789012345678901234567890123456789" };
      },
    ],
  ];
  it.each(cases)("%s", async (_, reason, prepare) => {
    const worktree = await createJobWorktree();
    const changes = await prepare(worktree);
    const head = await git(worktree.path, "rev-parse", "HEAD");
    expect(await remove({ ...worktree, ...changes })).toEqual({
      removed: true,
      branchKept: true,
      reason: expect.stringMatching(reason),
    });
    expect(await leftOf(worktree)).toEqual({ ...gone, branch: true });
    expect(await refIn(worktree.repo, worktree.branch)).toBe(head);
    expect(await checkpointOf(worktree)).toBe(head);
  });

  it("when there is no remote", async () => {
    const { remote: _, ...worktree } = await createJobWorktree();
    await commit(worktree.path, { "1.txt": "1" });
    expect(await remove(worktree)).toMatchObject({
      branchKept: true,
      reason: expect.stringContaining("1 commit is nowhere else, as there is no remote"),
    });
  });

  it("when HEAD was moved away from it, and a checkpoint holds that HEAD", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.path, "checkout", "-q", "--detach");
    const head = await commit(worktree.path, { "1.txt": "1" });
    expect(await remove(worktree)).toMatchObject({
      branchKept: true,
      reason: expect.stringMatching(/was at .*on no branch; refs\/baton\/job-2026-01-01-abc123\/1 holds/),
    });
    expect(await checkpointOf(worktree)).toBe(head);
  });

  it("and so does another branch that the agent went over to", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.path, "checkout", "-q", "-b", "other");
    const head = await commit(worktree.path, { "1.txt": "1" });
    await git(worktree.path, "push", "-q", "origin", "HEAD");
    expect(await remove(worktree)).toMatchObject({
      branchKept: true,
      reason: expect.stringContaining("The worktree was on the branch other, which stays."),
    });
    expect(await refIn(worktree.repo, "refs/heads/other")).toBe(head);
    expect(await refIn(worktree.repo, `refs/heads/${worktree.branch}`)).toBe(worktree.base);
  });

  it("and so does the branch that its name was made a link to", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.repo, "branch", "precious");
    await git(worktree.repo, "symbolic-ref", `refs/heads/${worktree.branch}`, "refs/heads/precious");
    expect(await remove(worktree)).toMatchObject({ removed: true });
    expect(await refIn(worktree.repo, "refs/heads/precious")).toBe(worktree.base);
  });
});

it("an embedded repository that is pushed and clean does not hold the worktree up, nor does an ignored one", async () => {
  const worktree = await createJobWorktree();
  const { path, remoteFolder } = worktree;
  await write(path, { ".gitignore": "cache/\n" });
  await git(path, "clone", "-q", remoteFolder, join(path, "tools"));
  await git(path, "init", "-q", join(path, "cache"));
  await write(join(path, "cache"), { "x.txt": "x" });
  await mkdir(join(path, "empty"));
  expect(await remove(worktree)).toMatchObject({ removed: true });
  expect(await git(worktree.repo, "ls-tree", await checkpointOf(worktree), "tools")).toMatch(
    /^160000 commit/,
  );
});

it("a copy of a worktree beside it is not taken for it", async () => {
  const worktree = await createJobWorktree();
  const copy = join(await temporaryFolder(), worktree.job);
  await cp(worktree.path, copy, { recursive: true });
  expect(await remove({ ...worktree, path: copy })).toMatchObject({ removed: false });
  await writeFile(join(copy, "still.txt"), "there");
  expect(await leftOf(worktree)).toEqual(whole);
});
