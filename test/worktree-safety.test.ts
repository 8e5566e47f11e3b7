import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agreeIn } from "./agree.ts";
import { baton, git } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { openJobs, type WorkspaceJobs } from "./workspace-job.ts";
import {
  branchesOf,
  listedWorktrees,
  type WorktreeProject,
  worktreeProject,
  worktreesIn,
} from "./worktree.ts";

/** Sets how the project is kept clean. Only in the checkout: the remote has nothing of it. */
function cleanup({ folder }: WorktreeProject, keys: string): Promise<void> {
  return appendFile(join(folder, "baton.yaml"), `maintenance: { worktree_cleanup: { ${keys} } }\n`);
}

async function jobWith(jobs: WorkspaceJobs, workItem: string) {
  const job = await jobs.setUp({ workItem });
  await writeFile(join(job.workspace.path, `${workItem}.txt`), `${workItem}\n`);
  return job;
}

/** Everything that Baton could have changed: refs, worktrees and folders. */
async function standing({ folder }: WorktreeProject): Promise<string> {
  const refs = await git(folder, "for-each-ref");
  const registered = await git(folder, "worktree", "list", "--porcelain");
  return [refs, registered, ...(await worktreesIn({ folder } as WorktreeProject))].join("\n");
}

describe("a worktree stays", () => {
  it("while a submodule in it has a commit that is nowhere else, and baton worktrees says so", async () => {
    const allowPaths = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "protocol.file.allow",
      GIT_CONFIG_VALUE_0: "always",
    };
    const project = await worktreeProject({ scenario: obedient(), env: allowPaths });
    const library = join(project.folder, "..", "library.git");
    await mkdir(library);
    await git(library, "init", "-q", "--bare", "-b", "main");
    await git(project.folder, "push", "-q", library, "main");
    const add = ["submodule", "--quiet", "add", library, "lib"];
    await git(project.folder, "-c", "protocol.file.allow=always", ...add);
    await git(project.folder, "commit", "-qm", "Add the library");
    await git(project.folder, "push", "-q", "origin", "main");
    const who = "-c user.name=T -c user.email=t@example.invalid";
    const command = `cd lib && git checkout -q -b mine && echo 1 > new && git add new && git ${who} commit -qm New`;
    await baton(project, ["run", "coder", told(command), "--work-item", "LIN-1", "--json"]);
    const [listed] = await listedWorktrees(project);
    expect(listed).toMatchObject({ has: "worktree", branch: "agent/coder/LIN-1" });
    expect(listed?.reason).toContain("lib has a commit on none of its remotes");

    await git(join(listed?.path ?? "", "lib"), "push", "-q", "origin", "mine");
    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await worktreesIn(project)).toEqual([]);
  });

  it("while somebody's shell is in it, and goes when that has left", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const job = await jobWith(jobs, "LIN-1");
    const shell = spawn("sh", ["-c", "echo in; read line"], { cwd: job.workspace.path });
    const ended = once(shell, "close");
    onTestFinished(async () => {
      shell.kill("SIGKILL");
      await ended;
    });
    await once(shell.stdout, "data");
    expect(await job.end("completed")).toMatchObject({ status: "completed", workspace: { state: "kept" } });
    const [listed] = await listedWorktrees(project);
    expect(listed?.reason).toContain(`is in use by sh (process ${shell.pid})`);
    expect((await baton(project, ["maintain"])).stdout).toContain("is in use by sh");
    expect(await worktreesIn(project)).toEqual([job.id]);
    expect(shell.exitCode).toBe(null);

    shell.stdin.end();
    await ended;
    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await worktreesIn(project)).toEqual([]);
  });

  it("whatever its age, when it was made by hand, and so does any other folder", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await cleanup(project, "max_worktree_age: 0s, prune_unmerged_branches: true");
    const { folder } = project;
    await using jobs = await openJobs(folder);
    await (await jobWith(jobs, "LIN-1")).end("completed");
    await git(
      folder,
      "worktree",
      "add",
      "-q",
      "-b",
      "agent/coder/mine",
      join(folder, ".worktrees", "job-mine"),
    );
    await writeFile(join(folder, ".worktrees", "job-mine", "mine.txt"), "mine\n");
    await mkdir(join(folder, ".worktrees", "notes"));
    const before = await standing(project);
    const maintained = await baton(project, ["maintain"]);
    expect(maintained).toMatchObject({ code: 0, stdout: "There is nothing to remove.\n" });
    expect(await standing(project)).toBe(before);
    expect(await readFile(join(folder, ".worktrees", "job-mine", "mine.txt"), "utf8")).toBe("mine\n");
  });
});

describe("baton maintain", () => {
  it("clears kept worktrees that are older than max_worktree_age, and a checkpoint has what was in them", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "cleanup_on_failure: false" });
    await using jobs = await openJobs(project.folder);
    const job = await jobWith(jobs, "LIN-1");
    await job.end("failed", "It broke.");
    expect((await baton(project, ["maintain"])).stdout).toContain("cleanup_on_failure is off");
    expect(await worktreesIn(project)).toEqual([job.id]);
    await cleanup(project, "max_worktree_age: 1ms");
    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await worktreesIn(project)).toEqual([]);
    expect(await git(project.folder, "show", `refs/baton/${job.id}/1:LIN-1.txt`)).toBe("LIN-1");
  });

  it("is done by `baton watch` too, in every project that this user has jobs in, as its settings say", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const job = await jobWith(jobs, "LIN-1");
    await job.pause();
    const elsewhere = { ...project, folder: join(project.folder, "..") };
    expect((await baton(elsewhere, ["watch", "--once"])).stdout).toBe("");
    expect(await worktreesIn(project)).toEqual([job.id]);

    await cleanup(project, "max_worktree_age: 1ms");
    agreeIn(project);
    expect((await baton(elsewhere, ["watch", "--once"])).stdout).toMatch(
      new RegExp(`project: ${job.id}, its job is paused, .*: its worktree is gone\n`),
    );
    expect(await worktreesIn(project)).toEqual([]);
    expect(await git(project.folder, "show", `refs/baton/${job.id}/1:LIN-1.txt`)).toBe("LIN-1");
  });

  it("deletes branches whose work is merged or squash-merged, and keeps unmerged ones", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "push_on_success: false" });
    const { folder } = project;
    await using jobs = await openJobs(folder);
    const items = ["MERGED-1", "OPEN-1", "SQUASHED-1"];
    for (const workItem of items) await (await jobWith(jobs, workItem)).end("completed");
    const branches = items.map((workItem) => `agent/coder/${workItem}`);
    expect(await branchesOf(folder)).toEqual([...branches, "main"]);
    await git(folder, "merge", "-q", "--no-ff", "-m", "Merge", "agent/coder/MERGED-1");
    await git(folder, "merge", "-q", "--squash", "agent/coder/SQUASHED-1");
    await git(folder, "commit", "-qm", "Squashed");
    await git(folder, "push", "-q", "origin", "main");
    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await branchesOf(folder)).toEqual(["agent/coder/OPEN-1", "main"]);

    await cleanup(project, "max_worktree_age: 1ms");
    await baton(project, ["maintain"]);
    expect(await branchesOf(folder)).toEqual(["agent/coder/OPEN-1", "main"]);
  });

  it("deletes unmerged branches with prune_unmerged_branches, and a checkpoint keeps them", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "push_on_success: false" });
    await using jobs = await openJobs(project.folder);
    const job = await jobWith(jobs, "OPEN-1");
    await job.end("completed");
    const commit = await git(project.folder, "rev-parse", "agent/coder/OPEN-1");
    await cleanup(project, "max_worktree_age: 1ms, prune_unmerged_branches: true");
    expect((await baton(project, ["maintain"])).stdout).toContain("a checkpoint keeps it");
    expect(await branchesOf(project.folder)).toEqual(["main"]);
    const kept = await git(project.folder, "for-each-ref", "--format=%(objectname)", `refs/baton/${job.id}`);
    expect(kept.split("\n")).toContain(commit);
    expect(await listedWorktrees(project)).toEqual([]);
  });

  it("--dry-run says what would go, and changes nothing", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      workspace: "push_on_success: false, cleanup_on_failure: false",
    });
    await using jobs = await openJobs(project.folder);
    const done = await jobWith(jobs, "DONE");
    await done.end("completed");
    const broken = await jobWith(jobs, "BROKEN");
    await broken.end("failed", "It broke.");
    await cleanup(project, "max_worktree_age: 1ms, prune_unmerged_branches: true");
    const before = await standing(project);
    const dry = await baton(project, ["maintain", "--dry-run"]);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(`would go ${done.id}`);
    expect(dry.stdout).toContain(`would go ${broken.id}`);
    expect(await standing(project)).toBe(before);

    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await standing(project)).not.toBe(before);
    expect(await worktreesIn(project)).toEqual([]);
  });
});
