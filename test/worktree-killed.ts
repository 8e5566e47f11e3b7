import { cpSync, rmSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { adoptState } from "../src/app/adopt-state.ts";
import { lookIntoStore } from "../src/app/project.ts";
import { jobsThatLeave } from "../src/store/jobs.ts";
import { type GitShim, momentsOf } from "./git-shim.ts";
import { Baton, baton, git, shown } from "./harness.ts";
import { agentsGone } from "./processes.ts";
import { branchesOf, type WorktreeProject, worktreesIn } from "./worktree.ts";

export const BRANCH = "agent/coder/LIN-1";
export const RUN = ["run", "coder", "Write the files.", "--work-item", "LIN-1", "--json"];

/** Keeps the project, its remote and the agent's home as they are. Returns what brings them back to that. */
export async function snapshot({ folder }: WorktreeProject): Promise<() => Promise<void>> {
  const root = join(folder, "..");
  const kept = await mkdtemp(join(tmpdir(), "baton-snapshot-"));
  onTestFinished(() => rm(kept, { recursive: true, force: true }));
  const copy = (from: string, to: string) =>
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  copy(root, kept);
  return async () => {
    for (const name of await readdir(root)) {
      rmSync(join(root, name), { recursive: true, force: true, maxRetries: 5 });
    }
    copy(kept, root);
    // A copy of a store is another file, which the user makes theirs.
    await adoptState({ root: folder, configPath: join(folder, "baton.yaml") });
  };
}

/**
 * What a user does after a kill. `start-up`: keeps house, and resumes the job where it has not come to its end by that.
 * `resume`: only that.
 */
export type Mending = "start-up" | "resume";

/** Mends the job until it is completed. `at`: what a failure is told by. */
export async function mend(project: WorktreeProject, id: string, how: Mending, at: string): Promise<void> {
  if (how === "start-up") {
    await keepHouse(project, at);
    if ((await shown(project)).status === "completed") return;
  }
  const resumed = await baton(project, ["resume", id, "--json"]);
  expect(resumed.code, `resume after a kill ${at}: ${resumed.stdout}${resumed.stderr}`).toBe(0);
}

/** What start-up does: nothing that can be seen to is left undone. */
export async function keepHouse(project: WorktreeProject, at: string): Promise<void> {
  const kept = await baton(project, ["maintain", "--json"]);
  expect(kept.code, `maintain after a kill ${at}: ${kept.stdout}${kept.stderr}`).toBe(0);
  for (const { action, status, done } of JSON.parse(kept.stdout).worktrees) {
    if (!done) expect({ action, status }, at).toEqual({ action: "keep", status: "interrupted" });
  }
}

/** All work of the job is on the remote, committed once, and nothing else tells that there was a job. */
export async function expectDelivered(project: WorktreeProject, steps: number, at: string): Promise<void> {
  const { remote } = project;
  const job = await shown(project);
  expect(job.status, at).toBe("completed");
  expect(job.workspace, at).toMatchObject({ state: "removed" });
  for (let step = 1; step <= steps; step++) {
    expect(await git(remote, "show", `${BRANCH}:step-${step}.txt`), at).toBe(`step ${step}`);
  }
  expect(await git(remote, "rev-list", "--count", `main..${BRANCH}`), at).toBe("1");
  expect(await git(remote, "fsck", "--strict", "--no-dangling"), at).toBe("");
  expect(await branchesOf(remote), at).toEqual([BRANCH, "main"]);
  await expectUntouched(project, at);
}

/** The user's own checkout is as it was, and holds nothing of any worktree. */
export async function expectUntouched(project: WorktreeProject, at: string): Promise<void> {
  const { folder } = project;
  expect(await git(folder, "status", "--porcelain", "--branch"), at).toBe("## main");
  expect(await git(folder, "rev-parse", "HEAD"), at).toBe(await git(project.remote, "rev-parse", "main"));
  expect(await branchesOf(folder), at).toEqual(["main"]);
  expect((await git(folder, "worktree", "list")).split("\n"), at).toHaveLength(1);
  expect(await worktreesIn(project), at).toEqual([]);
  expect(await withSomethingLeft(project), at).toEqual([]);
  expect(await git(folder, "fsck", "--strict", "--no-dangling"), at).toBe("");
  const inside = await readdir(join(folder, ".git"), { recursive: true });
  expect(
    inside.filter((name) => name.endsWith(".lock")),
    at,
  ).toEqual([]);
  // Deleted in the background, by a process that nobody waits for.
  await expect
    .poll(() => readdir(join(folder, ".worktrees", ".trash")).catch(() => []), {
      message: at,
      timeout: 10_000,
    })
    .toEqual([]);
}

/** The jobs that `baton worktrees` would list. */
async function withSomethingLeft({ folder }: WorktreeProject): Promise<string[]> {
  await using store = await lookIntoStore({ root: folder });
  return (await jobsThatLeave(store)).map(({ id }) => id);
}

/** Another job on the same work item gets its branch, with what the first one left there. */
export async function expectNextJobStarts(project: WorktreeProject, at: string): Promise<void> {
  const next = new Baton(project, RUN);
  const ready = await next.event(({ type }) => type === "workspace:ready");
  expect(ready, at).toMatchObject({ branch: BRANCH });
  await next.kill();
  await agentsGone(next);
}

/**
 * Runs `baton` with these arguments again and again from the same beginning, each time killed at another call of git.
 * `then` gets what the user does about it, and in words when it was.
 */
export async function killedAtEachCall(
  project: WorktreeProject,
  { shim, args, calls, every = 1 }: { shim: GitShim; args: string[]; calls: string[]; every?: number },
  restore: () => Promise<void>,
  then: (killed: { job: string; how: Mending; at: string }) => Promise<void>,
): Promise<void> {
  const moments = momentsOf(calls).filter((_, index) => index % every === 0);
  for (const [index, moment] of moments.entries()) {
    await restore();
    await shim.arm(moment);
    const killed = new Baton({ ...project, env: shim.env }, args);
    const { signal } = await killed.exit;
    const at = `${moment.when} git ${(await shim.calls())[moment.call - 1]}`;
    expect(signal, at).toBe("SIGKILL");
    await then({ job: killed.events[0]?.job ?? "", how: index % 2 === 0 ? "start-up" : "resume", at });
  }
}
