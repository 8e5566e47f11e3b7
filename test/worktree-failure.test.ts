import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Baton, baton, git, shown } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { agentCommand } from "./processes.ts";
import { openJobs, type WorkspaceOnly } from "./workspace-job.ts";
import {
  branchesOf,
  isThere,
  listedWorktrees,
  type WorktreeProject,
  worktreeProject,
  worktreesIn,
} from "./worktree.ts";

const BRANCH = "agent/coder/LIN-1";
const item = { workItem: "LIN-1" };

/** Work of every kind: committed, changed, new and deleted. */
const WORK =
  "echo 1 > one; git add one; git commit -qm One; echo 2 > two; echo '# more' >> baton.yaml; rm old";

async function projectWithOld(options: { workspace?: string } = {}): Promise<WorktreeProject> {
  const project = await worktreeProject({ scenario: obedient(), ...options });
  await writeFile(join(project.folder, "old"), "old\n");
  await git(project.folder, "add", "-A");
  await git(project.folder, "commit", "-qm", "Something old");
  await git(project.folder, "push", "-q", "origin", "main");
  return project;
}

async function leaveWork({ workspace }: WorkspaceOnly): Promise<void> {
  await git(workspace.path, "-c", `alias.work=!${WORK}`, "work");
}

/** What `baton restore` brings back of the newest checkpoint. */
async function restored(project: WorktreeProject, id: string) {
  const into = join(project.folder, "..", "restored");
  expect((await baton(project, ["restore", id, "--to", into])).code).toBe(0);
  expect(await readFile(join(into, "one"), "utf8")).toBe("1\n");
  expect(await readFile(join(into, "two"), "utf8")).toBe("2\n");
  expect(await readFile(join(into, "baton.yaml"), "utf8")).toMatch(/# more\n$/);
  expect(await isThere(join(into, "old"))).toBe(false);
}

async function allArrived({ remote }: WorktreeProject) {
  expect(await git(remote, "ls-tree", "--name-only", BRANCH)).toBe("baton.yaml\none\ntwo");
  expect(await git(remote, "show", `${BRANCH}:baton.yaml`)).toMatch(/# more$/);
  expect(await git(remote, "log", "--format=%s", BRANCH)).toMatch(/^agent: .*\nOne\nSomething old\nBegin$/);
}

it("a cancelled job leaves a checkpoint, and a resume goes on in the same place with all that was there", async () => {
  const project = await projectWithOld();
  const command = `${WORK}; exec tail -f /dev/null`;
  const running = new Baton(project, ["run", "coder", told(command), "--work-item", "LIN-1", "--json"]);
  await agentCommand(running, "tail -f /dev/null");
  const { id, workspace } = await shown(project);
  expect((await baton(project, ["cancel", id])).code).toBe(0);
  expect((await running.exit).code).toBe(130);
  expect(await isThere(workspace.path)).toBe(false);
  expect(await branchesOf(project.folder)).toEqual([BRANCH, "main"]);
  expect(await listedWorktrees(project)).toMatchObject([{ job: id, has: "branch" }]);
  await restored(project, id);

  const resumed = new Baton(project, ["resume", id, "--json"]);
  const ready = await resumed.event(({ type }) => type === "workspace:ready");
  expect(ready).toMatchObject({ path: workspace.path, branch: BRANCH });
  expect((await resumed.exit).code).toBe(0);
  await allArrived(project);
  expect(await worktreesIn(project)).toEqual([]);
  expect(await branchesOf(project.folder)).toEqual(["main"]);
});

describe("a job that failed", () => {
  it("leaves a checkpoint and no worktree, and a resume brings worktree, branch and files back", async () => {
    const project = await projectWithOld();
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await leaveWork(job);
    const failed = await job.end("failed", "It broke.");
    expect(failed).toMatchObject({ status: "failed", error: "It broke.", workspace: { state: "removed" } });
    expect(await worktreesIn(project)).toEqual([]);
    await restored(project, job.id);

    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
    expect(await shown(project)).toMatchObject({
      status: "completed",
      workspace: { path: job.workspace.path },
    });
    await allArrived(project);
  });

  it("a resume brings back what was deleted with the branch, where no commit was made", async () => {
    const project = await projectWithOld();
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await writeFile(join(job.workspace.path, "two"), "2\n");
    await job.end("failed", "It broke.");
    expect(await branchesOf(project.folder)).toEqual(["main"]);
    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
    expect(await git(project.remote, "show", `${BRANCH}:two`)).toBe("2");
  });

  it("keeps its worktree with cleanup_on_failure: false, and says so; a resume goes on in it", async () => {
    const project = await projectWithOld({ workspace: "cleanup_on_failure: false" });
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await leaveWork(job);
    await job.end("failed", "It broke.");
    expect(await worktreesIn(project)).toEqual([job.id]);
    expect(await readFile(join(job.workspace.path, "two"), "utf8")).toBe("2\n");
    expect(await listedWorktrees(project)).toMatchObject([
      {
        job: job.id,
        has: "worktree",
        action: "keep",
        reason: "the job failed, and cleanup_on_failure is off",
      },
    ]);
    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await worktreesIn(project)).toEqual([job.id]);

    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
    await allArrived(project);
    expect(await worktreesIn(project)).toEqual([]);
  });
});

it("cancelling a paused job closes its worktree, and what was in it is in a checkpoint", async () => {
  const project = await projectWithOld();
  await using jobs = await openJobs(project.folder);
  const job = await jobs.setUp(item);
  await leaveWork(job);
  await job.pause();
  expect((await baton(project, ["maintain"])).code).toBe(0);
  expect(await listedWorktrees(project)).toMatchObject([
    { has: "worktree", action: "keep", reason: "its job is paused: resume it, or cancel it" },
  ]);
  expect((await baton(project, ["cancel", job.id])).code).toBe(0);
  expect(await worktreesIn(project)).toEqual([]);
  expect(await branchesOf(project.folder)).toEqual([BRANCH, "main"]);
  await restored(project, job.id);
});
