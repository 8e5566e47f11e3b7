import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFleetState } from "../src/store/sqlite/fleet-state.ts";
import { comesTo, counts, fleetProject, go, jobsIn, queued, status } from "./fleet-jobs.ts";
import { Baton, baton, type TestProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { beginRepository } from "./repository.ts";

const ONE = "instances: { max_concurrent: 1 }";

const queueIn = async (
  where: TestProject,
): Promise<{ job: string; position: number; reason: { code: string; text: string } }[]> =>
  JSON.parse((await baton(where, ["queue", "--json"])).stdout).queue;

async function end(where: TestProject, fleet: Baton): Promise<void> {
  await go(where);
  await baton(where, ["stop"]);
  await fleet.exit;
}

describe("baton queue", () => {
  it("lists what waits in its order, with the reason, and moves it", async () => {
    const where = await fleetProject(ONE);
    const [one, two, three] = [
      await queued(where, "One"),
      await queued(where, "Two"),
      await queued(where, "Three"),
    ];
    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1, queued: 2 });
    expect((await queueIn(where)).map(({ job }) => job)).toEqual([two.job, three.job]);

    const moved = await baton(where, ["queue", "move", three.job, "first"]);
    expect(moved.stdout).toContain(`${three.job} is at place 1, with priority 1: coder is at 1 of 1`);
    expect((await queueIn(where)).map(({ job }) => job)).toEqual([three.job, two.job]);
    const { stdout } = await baton(where, ["queue"]);
    expect(stdout).toMatch(/^The fleet runs/);
    expect(stdout).toMatch(/1 +\S+ +coder +1 +\d+ s +coder is at 1 of 1 +Three/);
    expect((await baton(where, ["jobs"])).stdout).toMatch(/queued .* 2\. coder is at 1 of 1 +Two/);
    expect((await baton(where, ["show", two.job])).stdout).toContain("waits at place 2: coder is at 1 of 1");

    const circle = await baton(where, ["queue", "move", two.job, "--after", three.job]);
    expect(circle.code).toBe(0);
    const refused = await baton(where, ["queue", "move", three.job, "--after", two.job]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("would wait for itself");
    const running = await baton(where, ["queue", "move", one.job, "first"]);
    expect(running).toMatchObject({ code: 2 });
    await go(where);
    await comesTo(where, { completed: 3 });
    const finished = (await jobsIn(where)).toSorted((a, b) =>
      (a.finishedAt ?? "").localeCompare(b.finishedAt ?? ""),
    );
    expect(finished.map(({ prompt }) => prompt)).toEqual(["One", "Three", "Two"]);
    await end(where, fleet);
  });

  it("paused, starts nothing more; resumed, it does", async () => {
    const where = await fleetProject(ONE);
    await queued(where, "One");
    await baton(where, ["queue", "pause"]);
    const fleet = new Baton(where, ["start", "--json"]);
    await eventually(
      "the pause is the reason",
      async () => (await queueIn(where))[0]?.reason.code === "paused",
    );
    expect((await baton(where, ["queue"])).stdout).toContain("The queue has been paused since ");
    await baton(where, ["queue", "resume"]);
    await comesTo(where, { running: 1 });
    const again = await baton(where, ["queue", "resume"]);
    expect(again).toMatchObject({ code: 2, stderr: "baton: The queue is not paused.\n" });
    await baton(where, ["queue", "pause", "coder"]);
    expect((await baton(where, ["queue", "resume"])).stderr).toBe(
      "baton: The queue is not paused. coder is: baton queue resume coder\n",
    );
    await baton(where, ["queue", "resume", "coder"]);
    const unknown = await baton(where, ["queue", "pause", "codr"]);
    expect(unknown.stderr).toContain('did you mean "coder"?');
    await end(where, fleet);
  });

  it("holds a job back until the one before it is completed, and says so where that failed", async () => {
    const where = await fleetProject("instances: { max_concurrent: 4 }");
    const first = await queued(where, "First");
    const second = await queued(where, "Second", "--after", first.job);
    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1, queued: 1 });
    expect((await queueIn(where))[0]).toMatchObject({ job: second.job, reason: { code: "after" } });
    await baton(where, ["cancel", first.job]);
    await comesTo(where, { cancelled: 1, queued: 1 });
    expect((await queueIn(where))[0]?.reason.text).toContain(`after ${first.job}, which is cancelled`);
    const never = await baton(where, ["run", "--queue", "Third", "--after", first.job]);
    expect(never).toMatchObject({ code: 2 });
    await baton(where, ["resume", first.job, "--queue"]);
    await go(where);
    await comesTo(where, { completed: 2 });
    await end(where, fleet);
  });
});

describe("a fleet that runs", () => {
  it("gets what --detach starts, within its slots", async () => {
    const where = await fleetProject(ONE);
    const fleet = new Baton(where, ["start", "--json"]);
    await eventually("the fleet runs", async () => (await status(where)).startsWith("The fleet runs"));
    const first = await baton(where, ["run", "--detach", "One"]);
    expect(first.stdout).toContain("is queued at place 1");
    await comesTo(where, { running: 1 });
    const second = await baton(where, ["run", "--detach", "Two", "--json"]);
    const answer = JSON.parse(second.stdout);
    expect(answer.error).toBeUndefined();
    expect(answer).toMatchObject({ status: "queued", fleet: "running" });
    await eventually("it waits", async () => (await queueIn(where))[0]?.reason.code === "agent-full");

    // A slot that cannot be given back, as on a full disk, is given back later.
    using state = openFleetState();
    state.db.exec("CREATE TRIGGER full BEFORE DELETE ON slots BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    await go(where);
    await comesTo(where, { completed: 1, queued: 1 });
    await eventually("it says so", async () => fleet.stdout.includes("given back yet: disk full"));
    expect((await queueIn(where))[0]?.reason.code).toBe("agent-full");
    state.db.exec("DROP TRIGGER full");
    await comesTo(where, { completed: 2 });
    await end(where, fleet);
  });

  it("keeps a job that cannot start in the queue, with the reason, and starts it once it can", async () => {
    const where = await fleetProject(ONE);
    await queued(where, "One");
    const path = join(where.folder, "baton.yaml");
    const program = join(where.folder, "claude");
    const yaml = await readFile(path, "utf8");
    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1 });
    await queued(where, "Two");
    await writeFile(path, `${yaml}    executable: ./claude\n`);
    expect(await baton(where, ["reload"])).toMatchObject({ code: 0 });
    await go(where);
    await eventually("it is held", async () => {
      const [next] = await queueIn(where);
      return next?.reason.text.includes(program);
    });
    expect(await counts(where)).toEqual({ completed: 1, queued: 1 });
    await writeFile(path, yaml);
    await baton(where, ["queue", "move", (await queueIn(where))[0]?.job ?? "", "first"]);
    await comesTo(where, { completed: 2 });
    await end(where, fleet);
  });

  it("keeps what it read of a file that is broken or not trusted, says so loudly, and starts jobs by it", async () => {
    const where = { ...(await fleetProject(ONE)), trusted: "no" as const };
    const trusting = {
      folder: where.folder,
      env: where.env,
      simulator: where.simulator,
      program: where.program,
    };
    expect(await baton(where, ["reload"])).toMatchObject({
      code: 2,
      stderr: "baton: No fleet is running for this project.\n",
    });
    await queued(trusting, "One");
    const path = join(where.folder, "baton.yaml");
    const yaml = await readFile(path, "utf8");
    const fleet = new Baton(where, ["start"]);
    await comesTo(where, { running: 1 });
    await queued(where, "Two");
    expect((await baton(where, ["reload"])).stdout).toMatch(
      /^The configuration of .* is unchanged since the fleet last read it\.\n$/,
    );

    await writeFile(path, "agents: none\n");
    const broken = await baton(where, ["reload"]);
    expect(broken.code).toBe(2);
    expect(broken.stdout).toMatch(
      /cannot be used, so the fleet keeps the one that it read before\.\n[\s\S]*baton\.yaml:1:1 {2}agents must be/,
    );
    await writeFile(
      path,
      "agents: [{ name: coder, env: { EVIL: '1' }, permission_mode: bypassPermissions }]\n",
    );
    const { projects } = JSON.parse((await baton(where, ["reload", "--json"])).stdout);
    expect(projects).toMatchObject([{ outcome: "refused" }]);
    expect(projects[0].problem).toMatch(
      /not agreed to on this machine: agents\[coder\]\.env\. Review them.*baton trust/,
    );
    expect(await status(where)).toMatch(
      /The current configuration has not been usable for \d+ s: the fleet keeps the one that it read before\.\n[\s\S]*baton trust/,
    );
    const { fleet: shown } = JSON.parse((await baton(where, ["status", "--json"])).stdout);
    expect(shown.configurationProblem).toEqual({ problem: projects[0].problem, since: expect.any(String) });
    expect(fleet.stdout).toContain("so the fleet keeps the one that it read before");

    await go(where);
    await comesTo(where, { completed: 2 });
    await writeFile(path, `${yaml}fleet: { max_concurrent: 3 }\n`);
    expect((await baton(where, ["reload"])).stdout).toContain("was read again");
    expect(await status(where)).not.toContain("is not used");
    await end(where, fleet);
  });

  it("runs several projects through the same slots", async () => {
    const where = await fleetProject("instances: { max_concurrent: 4 }");
    const folder = join(dirname(where.folder), "other");
    await mkdir(folder);
    await writeFile(
      join(folder, "baton.yaml"),
      "fleet: { max_concurrent: 1 }\nagents: [{ name: coder, permission_mode: bypassPermissions, instances: { max_concurrent: 4 } }]\n",
    );
    await beginRepository(folder);
    const other = { ...where, folder };
    await queued(where, "Here");
    await queued(other, "There");
    await queued(other, "There too");
    const config = join(where.env.HOME ?? "", ".config", "baton", "config.yaml");
    await mkdir(dirname(config), { recursive: true });
    await writeFile(config, `projects: [${where.folder}, ${folder}]\n`);
    const env = { ...where.env, XDG_CONFIG_HOME: join(where.env.HOME ?? "", ".config") };
    const fleet = new Baton({ ...where, env }, ["start", "--all", "--json"]);
    await comesTo(where, { running: 1 });
    await comesTo(other, { running: 1, queued: 1 });
    const waitsThere = await queueIn(other);
    expect(waitsThere[0]?.reason).toEqual({ code: "project-full", text: "this project is at 1 of 1" });
    expect(await status(where)).toMatch(/^The fleet runs .*: 1 running here, 2 of 4 slots taken\./);
    const second = await baton(other, ["start"]);
    expect(second.stderr).toContain(`runs already: process ${fleet.pid}`);
    await go(where);
    await go(other);
    await comesTo(other, { completed: 2 });
    await end(other, fleet);
  });

  it("starts in the background, and ends with baton stop", async () => {
    const where = await fleetProject(ONE);
    const { code, stdout, stderr } = await baton(where, ["start", "--detach", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { pid } = JSON.parse(stdout);
    expect(await status(where)).toContain(`process ${pid}`);
    expect(await baton(where, ["start", "--detach"])).toMatchObject({ code: 2 });
    expect(await baton(where, ["stop"])).toMatchObject({ code: 0 });
  });
});

describe("baton halt", () => {
  it("stops everything, in the fleet and in terminals, forbids starts over restarts, and says what it stopped", async () => {
    const where = await fleetProject(ONE);
    const inQueue = await queued(where, "In the fleet");
    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1 });
    const terminal = new Baton(where, ["run", "In a terminal", "--json"]);
    await comesTo(where, { running: 2 });
    const { code, stdout } = await baton(where, ["halt", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ running: [], problems: [] });
    expect(JSON.parse(stdout).stopped).toHaveLength(2);
    expect(await terminal.exit).toMatchObject({ code: 1 });
    expect(await counts(where)).toEqual({ interrupted: 1, queued: 1 });
    for (const args of [["run", "More"], ["resume"]]) {
      const refused = await baton(where, args);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("All work has been halted");
    }
    expect(await status(where)).toMatch(
      /^The fleet runs.*\nAll work has been halted since .*: nothing starts until/,
    );
    await fleet.kill();
    const next = new Baton(where, ["start", "--json"]);
    await eventually("it is halted", async () => (await queueIn(where))[0]?.reason.code === "halted");
    expect((await queueIn(where))[0]?.job).toBe(inQueue.job);
    expect(await baton(where, ["unhalt"])).toMatchObject({ code: 0 });
    await go(where);
    await comesTo(where, { interrupted: 1, completed: 1 });
    await end(where, next);
  });
});
