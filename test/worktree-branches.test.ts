import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Baton, baton, git, ofType } from "./harness.ts";
import { needs } from "./needs.ts";
import { obedient, told } from "./obedient.ts";
import { onTerminal } from "./terminal.ts";
import { openJobs, type WorkspaceJobs } from "./workspace-job.ts";
import {
  branchesOf,
  listedWorktrees,
  type WorktreeProject,
  worktreeProject,
  worktreesIn,
} from "./worktree.ts";

const BRANCH = "agent/coder/LIN-1";
const item = { workItem: "LIN-1" };
const runItem = (command: string) => ["run", "coder", told(command), "--work-item", "LIN-1", "--json"];

/** A job that has written one file and completed. */
async function completedJob(jobs: WorkspaceJobs, name: string, origin = item) {
  const job = await jobs.setUp(origin);
  await writeFile(join(job.workspace.path, name), name);
  const ended = await job.end("completed");
  expect(ended.status).toBe("completed");
  return job;
}

const filesAt = async (folder: string, revision: string) =>
  (await git(folder, "ls-tree", "--name-only", revision)).split("\n").filter((name) => name !== "baton.yaml");

/** What a person does with a branch of the project, here and at the remote. */
async function merge({ folder }: WorktreeProject, revision: string, how: "--no-ff" | "--squash") {
  await git(folder, "merge", "-q", how, ...(how === "--no-ff" ? ["-m", "Merge"] : []), revision);
  if (how === "--squash") await git(folder, "commit", "-qm", "All of it, as one");
  await git(folder, "push", "-q", "origin", "main");
}

describe("a branch that another job works on", () => {
  it("skip: the job is cancelled before its agent starts, and says who has the branch", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    const { code, events } = await baton(project, runItem("touch never"));
    expect(code).toBe(130);
    expect(ofType(events, "job:cancelled")[0]?.message).toBe(
      `Skipped: ${first.id} works on LIN-1 (${BRANCH}) already.`,
    );
    expect(project.simulator.requests).toEqual([]);
    expect(await worktreesIn(project)).toEqual([first.id]);
    expect(await branchesOf(project.folder)).toEqual([BRANCH, "main"]);
  });

  it("skip: a job that rests is named too, with what can be done about it", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    await first.pause();
    const { code, events } = await baton(project, runItem("touch never"));
    expect(code).toBe(130);
    expect(ofType(events, "job:cancelled")[0]?.message).toContain(`\`baton resume ${first.id}\``);
  });

  it("is free again where somebody deleted the resting job's folder, and the next job says how to continue that one", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    await git(first.workspace.path, "-c", "alias.one=!echo 1 > one; git add one; git commit -qm One", "one");
    await first.pause();
    await rm(first.workspace.path, { recursive: true });
    const { code, events } = await baton(project, runItem("cp one two"));
    expect(code).toBe(0);
    expect(ofType(events, "warning").map(({ message }) => message)).toContainEqual(
      `${first.id} has begun LIN-1 too and is paused: what it did is kept. Continue it with \`baton resume ${first.id}\`, or end it with \`baton cancel ${first.id}\`.`,
    );
    expect(await filesAt(project.remote, BRANCH)).toEqual(["one", "two"]);
    expect(await git(project.folder, "worktree", "list", "--porcelain")).not.toContain("/.worktrees/");
  });

  it("on a terminal, the job that rests is offered first, and continues where the answer is yes", async () => {
    needs("script");
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    await writeFile(join(first.workspace.path, "one"), "1");
    await first.pause();
    const typed: [string, string][] = [["[Y/n]", "\r"]];
    const args = ["run", "coder", "Do it again.", "--work-item", "LIN-1"];
    const { code, output } = await onTerminal(project, { columns: 120, typed }, args);
    expect(code).toBe(0);
    expect(output).toContain(`${first.id} has already started LIN-1 and is paused: Enough for now.`);
    expect(output).toContain("✓ completed");
    expect(await filesAt(project.remote, BRANCH)).toEqual(["one"]);
  });

  it("is freed by the next job where a job has rested in it for too long", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    await writeFile(join(first.workspace.path, "one"), "1");
    await first.pause();
    const settings = "maintenance: { worktree_cleanup: { max_worktree_age: 1ms } }\n";
    await appendFile(join(project.folder, "baton.yaml"), settings);
    const { code, events } = await baton(project, runItem("echo 2 > two"));
    expect(code).toBe(0);
    expect(ofType(events, "warning")[0]?.message).toContain(`\`baton resume ${first.id}\``);
    expect(await filesAt(project.remote, BRANCH)).toEqual(["two"]);
    expect(await git(project.folder, "show", `refs/baton/${first.id}/1:one`)).toBe("1");
  });

  it("queue: the job waits, says for whom, and takes its turn on what the other one made", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_branch_conflict: queue" });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    const second = new Baton(project, runItem("cp one two"));
    const waiting = await second.event(({ type }) => type === "workspace:waiting");
    expect(waiting).toMatchObject({ behind: first.id, message: expect.stringContaining(first.id) });
    await writeFile(join(first.workspace.path, "one"), "1");
    expect((await first.end("completed")).status).toBe("completed");
    expect((await second.exit).code).toBe(0);
    expect(await filesAt(project.remote, BRANCH)).toEqual(["one", "two"]);
  });

  it("suffix: each job has a branch of its own", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_branch_conflict: suffix" });
    await using jobs = await openJobs(project.folder);
    const all = [await jobs.setUp(item), await jobs.setUp(item), await jobs.setUp(item)];
    expect(all.map(({ workspace }) => workspace.branch)).toEqual([BRANCH, `${BRANCH}--2`, `${BRANCH}--3`]);
  });
});

describe("a branch of an earlier job", () => {
  it("is made again at the base when its work was merged", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    await completedJob(jobs, "one");
    await merge(project, `origin/${BRANCH}`, "--no-ff");
    const main = await git(project.folder, "rev-parse", "main");
    const { workspace, events } = await jobs.setUp(item);
    expect(workspace).toMatchObject({ branch: BRANCH, base: main });
    expect(await git(workspace.path, "rev-parse", "HEAD")).toBe(main);
    expect(ofType(events, "workspace:creating")[0]?.takenUp).toBe(false);
  });

  it("is made again at the base when its work was squash-merged", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "push_on_success: false" });
    await using jobs = await openJobs(project.folder);
    const first = await jobs.setUp(item);
    for (const name of ["one", "two"]) {
      await writeFile(join(first.workspace.path, name), name);
      await git(first.workspace.path, "add", "-A");
      await git(first.workspace.path, "commit", "-qm", name);
    }
    await first.end("completed");
    expect(await branchesOf(project.folder)).toEqual([BRANCH, "main"]);
    await merge(project, BRANCH, "--squash");
    const { workspace } = await jobs.setUp(item);
    expect(workspace.branch).toBe(BRANCH);
    expect(await git(workspace.path, "rev-parse", "HEAD")).toBe(
      await git(project.folder, "rev-parse", "main"),
    );
  });

  it("is left alone at the remote when it was squash-merged and is still there: the next one has a number", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    await completedJob(jobs, "one");
    const before = await git(project.remote, "rev-parse", BRANCH);
    await merge(project, `origin/${BRANCH}`, "--squash");
    const { workspace } = await completedJob(jobs, "two");
    expect(workspace.branch).toBe(`${BRANCH}--2`);
    expect(await git(project.remote, "rev-parse", BRANCH)).toBe(before);
    expect(await filesAt(project.remote, `${BRANCH}--2`)).toEqual(["one", "two"]);
  });

  it("is continued by a retry when its work is unmerged, from here or from the remote alone", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    await completedJob(jobs, "one");
    expect(await branchesOf(project.folder)).toEqual(["main"]);
    const second = await completedJob(jobs, "two");
    expect(ofType(second.events, "workspace:creating")[0]).toMatchObject({ branch: BRANCH, takenUp: true });
    expect(await filesAt(project.remote, BRANCH)).toEqual(["one", "two"]);

    const cut = await jobs.setUp(item);
    await writeFile(join(cut.workspace.path, "three"), "3");
    await git(cut.workspace.path, "add", "-A");
    await git(cut.workspace.path, "commit", "-qm", "Three");
    expect((await cut.end("failed", "Broken.")).workspace).toMatchObject({
      state: "removed",
      branchKept: true,
    });
    const fourth = await completedJob(jobs, "four");
    expect(fourth.workspace.branch).toBe(BRANCH);
    expect(await filesAt(project.remote, BRANCH)).toEqual(["four", "one", "three", "two"]);
  });
});

it("a person's own branch of the same name stays as it is, and the job's gets a number", async () => {
  const project = await worktreeProject({ scenario: obedient() });
  await git(project.folder, "branch", BRANCH);
  await using jobs = await openJobs(project.folder);
  const { workspace } = await completedJob(jobs, "one");
  expect(workspace.branch).toBe(`${BRANCH}--2`);
  expect(await git(project.folder, "rev-parse", BRANCH)).toBe(await git(project.folder, "rev-parse", "main"));
  expect(await branchesOf(project.remote)).toEqual([`${BRANCH}--2`, "main"]);
});

it("a branch that lies where a folder of names must be is named, and nothing is left behind", async () => {
  const project = await worktreeProject({ scenario: obedient() });
  await git(project.folder, "branch", "agent");
  const { code, events } = await baton(project, runItem("touch never"));
  expect(code).toBe(1);
  expect(ofType(events, "job:failed")[0]?.error).toContain("refs/heads/agent");
  expect(await worktreesIn(project)).toEqual([]);
  expect(await branchesOf(project.folder)).toEqual(["agent", "main"]);
});

it("a branch that git has in a worktree nobody knows says so, and which command frees it", async () => {
  const project = await worktreeProject({ scenario: obedient() });
  const add = (...args: string[]) => git(project.folder, "worktree", "add", "-q", ...args);
  const [mine, lost] = [join(project.folder, "..", "mine"), join(project.folder, ".worktrees", "job-x")];
  await add("-b", BRANCH, mine);
  await rm(mine, { recursive: true });
  const gone = await baton(project, runItem("touch never"));
  expect(ofType(gone.events, "job:cancelled")[0]?.message).toContain("worktree prune");

  await git(project.folder, "worktree", "prune");
  await add("--lock", "--reason", "baton job:job-x pid:7 start:8", lost, BRANCH);
  const unknown = await baton(project, runItem("touch never"));
  expect(ofType(unknown.events, "job:cancelled")[0]?.message).toContain("a worktree of job-x that no record");
  expect(await listedWorktrees(project)).toMatchObject([
    { job: "job-x", status: "unknown", has: "worktree", path: lost, branch: BRANCH, action: "keep" },
  ]);
  const { stdout } = await baton(project, ["worktrees"]);
  expect(stdout).toContain(`If nobody needs it: git -C ${project.folder} worktree unlock ${lost} && git`);
  expect((await baton(project, ["maintain"])).stdout).toMatch(/stays +job-x .*no record here knows it/);
  expect(await worktreesIn(project)).toEqual(["job-x"]);
});
