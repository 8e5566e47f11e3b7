import { describe, expect, it } from "vitest";
import { openStore } from "../src/store/store.ts";
import { comesTo, counts, fleetProject, go, jobsIn, waits } from "./fleet-jobs.ts";
import { Baton, baton, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";

const OFTEN = `schedules:
  often: { interval: 1h, prompt: Look around, overlap: skip }
  nightly: { cron: "0 3 * * *", timezone: Europe/Berlin, prompt: Tidy up }`;

const listed = async (where: TestProject, ...args: string[]) =>
  JSON.parse((await baton(where, ["schedules", ...args, "--json"])).stdout);

/** As if the schedule had been due at this time, and no fleet had looked since. */
async function dueSince({ folder }: TestProject, name: string, due: Date): Promise<void> {
  await using store = await openStore(`${folder}/.baton/baton.db`);
  await store.db
    .updateTable("schedules")
    .set({ next_due: due.toISOString() })
    .where("name", "=", name)
    .execute();
}

describe("schedules", () => {
  it("say when they run, and that nothing runs without a fleet", async () => {
    const where = await fleetProject(OFTEN);
    const { stdout } = await baton(where, ["schedules"]);
    expect(stdout).toMatch(/coder +often +every 1 h +on +now/);
    expect(stdout).toMatch(/coder +nightly +0 3 \* \* \* +Europe\/Berlin +on +\w+ \d+ \d\d:00 \(in /);
    expect(stdout).toContain("The fleet is not running: nothing will start");
    expect((await baton(where, ["status"])).stdout).toContain("The fleet is not running");
    const untrusted = await testProject({ scenario: waits, agent: OFTEN, trusted: "no" });
    expect((await baton(untrusted, ["status"])).stdout).toContain("The fleet is not running");
    const next = await listed(where, "next", "-n", "5");
    expect(next).toHaveLength(5);
    expect((await baton(where, ["plan"])).stdout).toMatch(
      /The next 24 hours, if you started it now:[\s\S]*coder .*often, 25 times[\s\S]*coder .*nightly/,
    );
    const refused = await baton(where, ["schedules", "run", "coder", "weekly"]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("Its schedules: often, nightly.");
    const history = await baton(where, ["schedules", "history"]);
    expect(history.stdout).toMatch(
      /^Nothing has come due yet\.\n\nThe fleet is not running: nothing will start/,
    );
    const misspelt = await baton(where, ["schedules", "history", "coder", "nightlie"]);
    expect(misspelt.stderr).toContain("Its schedules: often, nightly.");
  });

  it("run at once when first seen, then when they are due; a killed fleet fires nothing twice and loses nothing", async () => {
    const where = await fleetProject(OFTEN);
    const first = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1 });
    await first.kill();
    expect(await listed(where, "history")).toMatchObject([
      { schedule: "often", outcome: "queued", count: 1 },
    ]);

    // Three due times passed while nothing ran.
    await dueSince(where, "often", new Date(Date.now() - 2.5 * 3_600_000));
    const second = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1 });
    await eventually(
      "the due times are accounted for",
      async () => (await listed(where, "history")).length === 3,
    );
    expect(await listed(where, "history", "coder", "often")).toMatchObject([
      { outcome: "skipped", count: 1, reason: "the run before it has not ended" },
      { outcome: "coalesced", count: 2 },
      { outcome: "ran", count: 1 },
    ]);
    await go(where);
    await comesTo(where, { completed: 1 });
    await dueSince(where, "often", new Date(Date.now() - 1_000));
    await comesTo(where, { completed: 2 });
    expect((await jobsIn(where)).map(({ prompt, schedule }) => [prompt, schedule])).toEqual([
      ["Look around", "often"],
      ["Look around", "often"],
    ]);
    await baton(where, ["stop"]);
    await second.exit;
  });

  it("are skipped while they are paused, and can be run by hand", async () => {
    const where = await fleetProject(OFTEN);
    expect((await baton(where, ["schedules", "pause", "coder", "often"])).code).toBe(0);
    const fleet = new Baton(where, ["start", "--json"]);
    await eventually("it is skipped", async () => (await listed(where, "history"))[0]?.outcome === "skipped");
    expect(await counts(where)).toEqual({});
    expect((await baton(where, ["schedules"])).stdout).toMatch(/coder +often +every 1 h +paused +\w+ \d+ /);
    expect((await listed(where))[0]).not.toHaveProperty("next");
    const until = await baton(where, ["schedules", "pause", "coder", "often", "--until", "2d"]);
    expect(until.stdout).toMatch(
      /is paused: its runs are skipped until .*, or baton schedules resume coder often/,
    );
    const [often] = await listed(where);
    expect(often.next >= often.pausedUntil).toBe(true);
    expect((await baton(where, ["schedules"])).stdout).toMatch(/paused until \w+ \d+ \d\d:\d\d +\w+ \d+/);
    const past = await baton(where, ["schedules", "pause", "coder", "often", "--until", "2020-01-01"]);
    expect(past).toMatchObject({ code: 2 });
    expect(past.stderr).toContain("2020-01-01 00:00 is past");
    expect((await baton(where, ["schedules", "run", "coder", "nightly"])).stdout).toContain("is queued");
    await go(where);
    await comesTo(where, { completed: 1 });
    expect((await jobsIn(where))[0]).toMatchObject({ prompt: "Tidy up", schedule: "nightly" });
    expect((await baton(where, ["schedules", "resume", "coder", "often"])).stdout).toBe(
      "often of coder runs again.\n",
    );
    await baton(where, ["stop"]);
    await fleet.exit;
  });
});
