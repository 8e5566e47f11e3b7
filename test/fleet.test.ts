import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { storePath } from "../src/app/project.ts";
import { Journal } from "../src/jobs/journal.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { sweepInterrupted } from "../src/store/sweep.ts";
import { comesTo, counts, fleetProject, go, jobsIn, queued, status, waits } from "./fleet-jobs.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";

describe("the queue of a fleet", () => {
  it("starts nothing by itself, and every face says so", async () => {
    const where = await fleetProject("default_prompt: Look around");
    // To whoever has nothing for a fleet to do, nobody speaks of one.
    expect(await status(where)).toMatch(/^There are no sessions or jobs here/);
    const { code, stdout } = await baton(where, ["run", "--queue", "Go"]);
    expect(code).toBe(0);
    const [job] = await jobsIn(where);
    expect(job).toMatchObject({ status: "queued", prompt: "Go" });
    expect(stdout).toContain(`${job?.id} is queued at place 1.`);
    expect(stdout).toContain("The fleet is not running: nothing will start. Start it with: baton start");
    expect(await status(where)).toMatch(/^The fleet is not running: nothing will start.*\(1 job queued\)/);

    const triggered = await baton(where, ["trigger", "coder", "--json"]);
    expect(JSON.parse(triggered.stdout)).toMatchObject({
      status: "queued",
      queued: { position: 2, reason: { code: "not-running" } },
      fleet: "not running",
    });
    expect((await jobsIn(where)).map(({ prompt }) => prompt)).toEqual(["Go", "Look around"]);
    expect(existsSync(join(where.folder, ".worktrees"))).toBe(false);

    const cancelled = await baton(where, ["cancel", job?.id ?? ""]);
    expect(cancelled.code).toBe(0);
    expect(await counts(where)).toEqual({ cancelled: 1, queued: 1 });
  });

  it("refuses what could never start, before anything is on record", async () => {
    const where = await fleetProject();
    const empty = await baton(where, ["trigger", "coder"]);
    expect(empty.code).toBe(2);
    expect(empty.stderr).toContain("coder has no default_prompt");
    const unknown = await baton(where, ["trigger", "codr", "--prompt", "Go"]);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('did you mean "coder"?');
    const place = await baton(where, ["run", "Go", "--priority", "3"]);
    expect(place.stderr).toContain("add --queue");
    expect(existsSync(join(where.folder, ".baton", "baton.db"))).toBe(false);
    const untrusted = await testProject({ scenario: waits, trusted: "no", agent: "env: { A: b }" });
    const refused = await baton(untrusted, ["run", "--queue", "Go"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("baton trust");
    expect(await baton(untrusted, ["start"])).toMatchObject({ code: 2 });
  });
});

describe("baton start", () => {
  it("runs what is queued through its slots, in one process, and a second fleet is told who runs it", async () => {
    const where = await fleetProject();
    for (const prompt of ["One", "Two", "Three"]) await queued(where, prompt);
    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 2, queued: 1 });
    const { stdout } = await baton(where, ["status", "--json"]);
    const shown = JSON.parse(stdout).fleet;
    expect(shown).toMatchObject({ state: "running", pid: fleet.pid, slots: { taken: 2, total: 4 } });
    expect(shown.queue).toMatchObject([
      { position: 1, reason: { code: "agent-full", text: "coder is at 2 of 2" } },
    ]);
    expect(await status(where)).toMatch(
      new RegExp(`^The fleet runs .*process ${fleet.pid}.*: 2 of 4 running, 1 queued`),
    );

    const second = await baton(where, ["start"]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`runs already: process ${fleet.pid}`);

    await go(where);
    await comesTo(where, { completed: 3 });
    const stopped = await baton(where, ["stop", "--json"]);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ pid: fleet.pid, how: "stop", jobs: [] });
    expect(await fleet.exit).toMatchObject({ code: 0 });
    const none = await baton(where, ["stop"]);
    expect(none).toMatchObject({ code: 2, stderr: "baton: No fleet is running for this project.\n" });
  });

  it("killed and started again, continues everything, each job once", async () => {
    const where = await fleetProject();
    for (const prompt of ["One", "Two", "Three"]) await queued(where, prompt);
    const killed = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 2, queued: 1 });
    await killed.kill();
    expect(await counts(where)).toEqual({ queued: 3 });
    expect(await status(where)).toContain("The fleet is not running: nothing will start");

    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 2, queued: 1 });
    await go(where);
    await comesTo(where, { completed: 3 });
    const jobs = await jobsIn(where);
    expect(jobs.map(({ attempt }) => attempt > 0)).toEqual([true, true, true]);
    expect(jobs.map(({ result }) => result?.startsWith("Done:"))).toEqual([true, true, true]);
    await baton(where, ["stop"]);
    await fleet.exit;
  });

  it("stopped, puts what runs back into the queue; drained, lets it end and starts nothing more", async () => {
    const where = await fleetProject("instances: { max_concurrent: 1 }");
    for (const prompt of ["One", "Two"]) await queued(where, prompt);
    const first = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1, queued: 1 });
    const stopped = await baton(where, ["stop", "--json"]);
    expect(JSON.parse(stopped.stdout).jobs).toHaveLength(1);
    expect(await first.exit).toMatchObject({ code: 0 });
    expect(await counts(where)).toEqual({ queued: 2 });

    const second = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1, queued: 1 });
    const draining = new Baton(where, ["stop", "--drain"]);
    await eventually("the fleet drains", async () =>
      (await status(where)).startsWith("The fleet is draining"),
    );
    await go(where);
    expect(await draining.exit).toMatchObject({ code: 0 });
    expect(await second.exit).toMatchObject({ code: 0 });
    expect(await counts(where)).toEqual({ completed: 1, queued: 1 });
  });
});

/** Whoever runs the job dies before a tool call of it has ended. */
async function diesOf(store: Store, job: string): Promise<void> {
  const dead = { ...thisProcess(), pid: 2 ** 22, startedAt: "never" };
  const journal = new Journal(store, await claimJob(store, job, dead, new Date()), () => new Date());
  await journal.record({ type: "job:started", pid: dead.pid, marker: "m" });
  await sweepInterrupted(store, new Date());
}

it("pauses a job that takes its fleet along again and again, and runs the others", async () => {
  const where = await fleetProject();
  const { job } = await queued(where, "Deadly");
  await using store = await openStore(storePath(where.folder));
  for (let deaths = 0; deaths < 5; deaths++) await diesOf(store, job);
  expect(await counts(where)).toEqual({ queued: 1 });
  await queued(where, "Harmless");
  const fleet = new Baton(where, ["start", "--json"]);
  await comesTo(where, { paused: 1, running: 1 });
  const { stdout } = await baton(where, ["show", job, "--why"]);
  expect(stdout).toContain("The process that ran the job died 5 times in a row");
  await baton(where, ["resume", job, "--queue"]);
  await comesTo(where, { running: 2 });
  await go(where);
  await comesTo(where, { completed: 2 });
  await baton(where, ["stop"]);
  await fleet.exit;
});
