import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  addJobWorktree,
  commit,
  createJobWorktree,
  createRepository,
  createSubmodule,
  git,
  isThere,
  type JobWorktree,
  leftOf,
  noSteps,
  refIn,
  temporaryFolder,
  trashOf,
  write,
} from "../../test/job-worktree.ts";
import { listCheckpoints } from "./checkpoint.ts";
import { type RemovalSteps, removeWorktree } from "./remove.ts";

const signal = new AbortController().signal;
const remove = (what: Parameters<typeof removeWorktree>[0], steps: Partial<RemovalSteps> = {}) =>
  removeWorktree(what, { ...noSteps, ...steps }, { signal });

const whole = { folder: true, registered: true, branch: true };
const gone = { folder: false, registered: false, branch: false };

/** It stays as it is, and `reason` says why. */
async function expectKept(worktree: JobWorktree, reason: RegExp): Promise<void> {
  const result = await remove(worktree);
  expect(result).toEqual({ removed: false, reason: expect.stringMatching(reason) });
  expect(await leftOf(worktree)).toEqual(whole);
}

const push = ({ path, branch }: JobWorktree) =>
  git(path, "push", "-q", "origin", `HEAD:refs/heads/${branch}`);
const checkpointOf = async ({ repo, job }: JobWorktree) =>
  (await listCheckpoints(repo, job)).at(-1)?.commit ?? "";

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

describe("nothing is touched", () => {
  it("when the worktree was made with plain git", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.repo, "worktree", "unlock", worktree.path);
    await expectKept(worktree, /not a worktree that Baton made for job-2026-01-01-abc123: it has no lock/);
  });

  it("when somebody else, or another job, has locked it", async () => {
    const worktree = await createJobWorktree();
    for (const reason of [
      "on a stick",
      "baton job:job-2026-01-01-abc1234 pid:1",
      "baton job:other job:job-2026-01-01-abc123",
    ]) {
      await git(worktree.repo, "worktree", "unlock", worktree.path);
      await git(worktree.repo, "worktree", "lock", "--reason", reason, worktree.path);
      await expectKept(worktree, /its lock says/);
    }
  });

  it("when git knows nothing of the folder", async () => {
    const worktree = await createJobWorktree();
    const path = join(worktree.top, "worktrees", "by-hand");
    await write(path, { "a.txt": "a" });
    expect(await remove({ ...worktree, path })).toMatchObject({
      removed: false,
      reason: expect.stringContaining("git does not list it as a worktree of"),
    });
    expect(await readFile(join(path, "a.txt"), "utf8")).toBe("a");
  });

  it("when it is the main checkout", async () => {
    const worktree = await createJobWorktree();
    expect(await remove({ ...worktree, path: worktree.repo })).toMatchObject({ removed: false });
    expect(await isThere(join(worktree.repo, ".git"))).toBe(true);
  });

  it("when the folder belongs to another repository by now", async () => {
    const worktree = await createJobWorktree();
    const { repo } = await createRepository();
    await rm(worktree.path, { recursive: true });
    await git(repo, "worktree", "add", "-q", "-b", "w", worktree.path);
    await expectKept(worktree, /its \.git does not point to/);
  });

  it("when a repository, a plain folder or a link has taken its place", async () => {
    const worktree = await createJobWorktree();
    await rename(worktree.path, `${worktree.path}-moved`);
    await git(worktree.top, "init", "-q", worktree.path);
    await expectKept(worktree, /its \.git does not point to/);
    await rm(worktree.path, { recursive: true });
    await write(worktree.path, { "a.txt": "a" });
    await expectKept(worktree, /its \.git does not point to/);
    await rm(worktree.path, { recursive: true });
    await symlink(`${worktree.path}-moved`, worktree.path);
    await expectKept(worktree, /it is not a folder/);
  });

  it("when the whole folder of worktrees is away, as on a disk that is not mounted", async () => {
    const worktree = await createJobWorktree();
    const away = join(worktree.top, "away");
    await rename(join(worktree.top, "worktrees"), away);
    expect(await remove(worktree)).toMatchObject({
      reason: expect.stringContaining("is not there. Bring it back"),
    });
    await rename(away, join(worktree.top, "worktrees"));
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("while a process works in it, and goes on when that has ended", async () => {
    const worktree = await createJobWorktree();
    const shell = spawn("sh", ["-c", "echo there; read _"], { cwd: join(worktree.path, "b") });
    onTestFinished(() => void shell.kill("SIGKILL"));
    await once(shell.stdout, "data");
    await expectKept(worktree, new RegExp(`is in use by sh \\(process ${shell.pid}\\)`));
    expect(await checkpointOf(worktree)).toBe("");
    const ended = once(shell, "exit");
    const endProcesses = async () => {
      shell.kill("SIGKILL");
      await ended;
    };
    expect(await remove(worktree, { endProcesses })).toMatchObject({ removed: true });
  });

  it("in the middle of a rebase", async () => {
    const worktree = await createJobWorktree();
    const { path } = worktree;
    await commit(path, { "a.txt": "mine\n" });
    await git(path, "checkout", "-q", "-b", "theirs", "HEAD^");
    await commit(path, { "a.txt": "theirs\n" });
    await write(path, { "b/c.txt": "put aside by git\n" });
    await expect(git(path, "rebase", "--autostash", worktree.branch)).rejects.toThrow();
    await expectKept(worktree, /is in the middle of a rebase\. Finish or abort it there/);
  });

  it("when git was told to overlook changes", async () => {
    const worktree = await createJobWorktree();
    await git(worktree.path, "update-index", "--assume-unchanged", "a.txt");
    await git(worktree.path, "update-index", "--skip-worktree", "b/c.txt");
    await write(worktree.path, { "a.txt": "other\n", "b/c.txt": "other\n" });
    await expectKept(worktree, /told to overlook changes in .*: a\.txt, b\/c\.txt\./);
    await write(worktree.path, { "a.txt": "a\n", "b/c.txt": "c\n" });
    expect(await remove(worktree)).toMatchObject({ removed: true });
  });

  it("when a repository in it has work of its own", async () => {
    const worktree = await createJobWorktree();
    const library = await createSubmodule(worktree);
    await commit(library, { "lib.c": "int y;\n" });
    await commit(worktree.path, {});
    await expectKept(worktree, /vendor\/lib has a commit on none of its remotes\. Push it, or delete it/);
    await git(library, "push", "-q", "origin", "HEAD:refs/heads/y");
    expect(await remove(worktree)).toMatchObject({ removed: true });
  });

  it("when a submodule of a folder that somebody has deleted has work of its own", async () => {
    const worktree = await createJobWorktree();
    await commit(await createSubmodule(worktree), { "lib.c": "int y;\n" });
    await rm(worktree.path, { recursive: true });
    expect(await remove(worktree)).toMatchObject({
      removed: false,
      reason: expect.stringMatching(/modules\/vendor\/lib has a commit on none of its remotes/),
    });
    expect(await leftOf(worktree)).toEqual({ ...whole, folder: false });
  });

  it("when no checkpoint can be made", async () => {
    const worktree = await createJobWorktree();
    await write(worktree.repo, { ".git/refs/baton": "in the way" });
    await expectKept(worktree, /could not be looked at\. git update-ref/);
    await write(worktree.path, { "new.txt": "new" });
    await expectKept(worktree, /could not be looked at\. git update-ref/);
  });

  it("when its index cannot be read", async () => {
    const worktree = await createJobWorktree();
    await write(join(worktree.repo, ".git", "worktrees", worktree.job), { index: "broken" });
    await expectKept(worktree, /could not be looked at\. git .*index file smaller than expected/);
  });

  it("when the checkpoint is lost before the folder is moved", async () => {
    const worktree = await createJobWorktree();
    const result = await remove(worktree, {
      removing: async () =>
        void (await git(worktree.repo, "update-ref", "-d", `refs/baton/${worktree.job}/1`)),
    });
    expect(result).toMatchObject({
      removed: false,
      reason: expect.stringContaining("its checkpoint refs/baton/"),
    });
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("when something else is checked out before the folder is moved", async () => {
    const worktree = await createJobWorktree();
    const result = await remove(worktree, {
      removing: async () => void (await commit(worktree.path, { "late.txt": "late" })),
    });
    expect(result).toMatchObject({
      removed: false,
      reason: expect.stringContaining("while it was looked at"),
    });
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("when it cannot be moved to the trash", async () => {
    const worktree = await createJobWorktree();
    await write(join(worktree.top, "worktrees"), { ".trash": "in the way" });
    await expectKept(worktree, /could not be moved to .* \(EEXIST|ENOTDIR\)/);
  });

  it("when the intent cannot be put on record", async () => {
    const worktree = await createJobWorktree();
    const removing = async () => {
      throw new Error("the store is full");
    };
    await expect(remove(worktree, { removing })).rejects.toThrow("the store is full");
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("when the job was given up while it waited for the repository", async () => {
    const worktree = await createJobWorktree();
    const given = new AbortController();
    const removing = async () => given.abort(new Error("somebody else has it"));
    await expect(
      removeWorktree(worktree, { ...noSteps, removing }, { signal: given.signal }),
    ).rejects.toThrow("somebody else has it");
    expect(await leftOf(worktree)).toEqual(whole);
  });
});

describe("a worktree whose set-up was killed", () => {
  /** Git is killed while a filter of the repository holds it up in the middle of the files. */
  async function createHalfMade(): Promise<JobWorktree> {
    const repository = await createRepository({
      "a.txt": "a\n",
      "z.slow": "z\n",
      ".gitattributes": "*.slow filter=slow\n",
    });
    const { top, repo } = repository;
    const fifo = join(top, "reached");
    const job = "job-2026-01-01-abc123";
    await git(repo, "config", "filter.slow.smudge", `echo $PPID > '${fifo}'; sleep 60`);
    const [path, branch] = [join(top, "worktrees", job), `agent/${job}`];
    const base = await git(repo, "rev-parse", "origin/main");
    const adding = spawn("git", ["-C", repo, "worktree", "add", "--no-track", "-b", branch, path, base], {
      detached: true,
      stdio: "ignore",
    });
    const ended = once(adding, "exit");
    await expect.poll(() => readFile(fifo, "utf8").catch(() => "")).toMatch(/\d+\n/);
    process.kill(-(adding.pid ?? 0), "SIGKILL");
    await ended;
    await git(repo, "config", "--unset", "filter.slow.smudge");
    return { ...repository, path, branch, base, job, remote: "origin" };
  }

  it("is recognised, and goes with its branch", async () => {
    const worktree = await createHalfMade();
    expect(await isThere(join(worktree.path, "a.txt"))).toBe(true);
    await expectKept(worktree, /its lock says "initializing"/);
    expect(await remove({ ...worktree, neverReady: true })).toEqual({ removed: true, branchKept: false });
    expect(await leftOf(worktree)).toEqual(gone);
    expect(await checkpointOf(worktree)).toBe("");
  });

  it("is kept by those who take it for a whole one", async () => {
    const worktree = await createJobWorktree();
    const record = join(worktree.repo, ".git", "worktrees", worktree.job);
    await write(record, { "index.lock": "" });
    await expectKept(worktree, /only half checked out: a git command is at work there, or was killed/);
    await rm(join(record, "index.lock"));
    await rename(join(record, "index"), join(record, "index-away"));
    await expectKept(worktree, /only half checked out: git has no index for it/);
    await rename(join(record, "index-away"), join(record, "index"));
    await git(worktree.repo, "worktree", "unlock", worktree.path);
    await git(worktree.repo, "worktree", "lock", "--reason", "initializing", worktree.path);
    await expectKept(worktree, /its lock says "initializing"/);
  });

  /** In the opposite order of that in which git writes them. */
  const written = ["index", "commondir", "HEAD", ".git", "gitdir"];
  it.each(written.map((name, index) => [name, written.slice(0, index + 1)] as const))(
    "goes when git had not written %s yet",
    async (_, missing) => {
      const worktree = await createJobWorktree();
      const record = join(worktree.repo, ".git", "worktrees", worktree.job);
      for (const name of missing) await rm(join(name === ".git" ? worktree.path : record, name));
      if (missing.includes("gitdir")) await rm(worktree.path, { recursive: true });
      expect(await remove({ ...worktree, neverReady: true })).toEqual({ removed: true, branchKept: false });
      expect(await leftOf(worktree)).toEqual(gone);
    },
  );

  it("goes when only its branch had been made", async () => {
    const { repo, remoteFolder, top } = await createRepository();
    const base = await git(repo, "rev-parse", "HEAD");
    await git(repo, "branch", "made", base);
    const what = {
      repo,
      path: join(top, "worktrees", "x"),
      branch: "made",
      base,
      job: "x",
      neverReady: true,
    };
    expect(await remove(what)).toEqual({ removed: true, branchKept: false });
    expect(await refIn(repo, "refs/heads/made")).toBeUndefined();
    expect(await isThere(remoteFolder)).toBe(true);
  });

  it("leaves a branch that is not where it began", async () => {
    const worktree = await createJobWorktree();
    await commit(worktree.path, { "1.txt": "1" });
    await rm(join(worktree.repo, ".git", "worktrees", worktree.job, "index"));
    expect(await remove({ ...worktree, neverReady: true })).toMatchObject({
      removed: true,
      branchKept: true,
    });
  });

  it("has a checkpoint of what is in it all the same, once its files are all there", async () => {
    const worktree = await createJobWorktree();
    await write(worktree.path, { "made-by-setup.txt": "1" });
    expect(await remove({ ...worktree, neverReady: true })).toEqual({ removed: true, branchKept: false });
    expect(await git(worktree.repo, "show", `${await checkpointOf(worktree)}:made-by-setup.txt`)).toBe("1");
  });

  it("is left alone when another job has it", async () => {
    const worktree = await createJobWorktree();
    const other = { ...worktree, job: "job-2026-01-01-zzz999", neverReady: true };
    expect(await remove(other)).toMatchObject({
      removed: false,
      reason: expect.stringContaining("its lock says"),
    });
    expect(await leftOf(worktree)).toEqual(whole);
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
