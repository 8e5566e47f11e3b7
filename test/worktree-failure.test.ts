import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Baton, baton, git, shown } from "./harness.ts";
import { told } from "./obedient.ts";
import { agentCommand } from "./processes.ts";
import { openJobs } from "./workspace-job.ts";
import { branchesOf, isThere, listedWorktrees, worktreesIn } from "./worktree.ts";
import { allArrived, BRANCH, item, leaveWork, projectWithOld, restored, WORK } from "./worktree-work.ts";

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
