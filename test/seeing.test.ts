import { cpSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agreeIn } from "./agree.ts";
import { comesTo, fleetProject, go, jobsIn, queued } from "./fleet-jobs.ts";
import { Baton, baton } from "./harness.ts";
import { eventually } from "./panes.ts";

describe("what a person sees of a fleet", () => {
  it("says of every job why it is what it is, and where its time went", async () => {
    const where = await fleetProject("instances: { max_concurrent: 1 }");
    const first = (await queued(where, "One")).job;
    const second = (await queued(where, "Two")).job;
    const why = async (job: string) =>
      JSON.parse((await baton(where, ["show", job, "--why", "--json"])).stdout);
    const typesOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);

    const alone = await baton(where, ["show", first, "--why"]);
    expect(alone.stdout).toContain(`${first} is queued.\nIt waits at place 1: the fleet is not running.`);
    expect(alone.stdout).toContain("baton start");

    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1, queued: 1 });
    const waits = await why(second);
    expect(waits).toMatchObject({ status: "queued", because: "It waits at place 1: coder is at 1 of 1." });
    expect(typesOf(waits)).toEqual(["job:created", "job:queued"]);
    await comesToTool(where, first);
    const runs = await why(first);
    expect(typesOf(runs)).toEqual(["job:started", "session:starting", "tool:start"]);

    await go(where);
    await comesTo(where, { completed: 2 });
    const done = await baton(where, ["show", first, "--why"]);
    expect(done.stdout).toContain("The agent says that the work is done.");
    expect(done.stdout).toMatch(/completed: Done: went {2}\(event \d+\)/);
    const shown = JSON.parse((await baton(where, ["show", second, "--json"])).stdout);
    expect(shown.timeMs.slot).toBeGreaterThan(0);

    const waited = JSON.parse((await baton(where, ["show", first, "--json"])).stdout);
    expect(waited.timeMs.tools).toBeGreaterThan(0);

    const all = JSON.parse((await baton(where, ["time", "--json"])).stdout);
    expect(all.agents).toMatchObject([{ agent: "coder", jobs: 2, unknown: 0 }]);
    expect(all.total.timeMs.slot).toBeGreaterThanOrEqual(shown.timeMs.slot);
    const table = await baton(where, ["time"]);
    expect(table.stdout).toMatch(/^2 jobs, started since .*in total/);
    const unknown = await baton(where, ["time", "--agent", "codr"]);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('did you mean "coder"?');
    await baton(where, ["stop"]);
    await fleet.exit;

    const news = (await baton(where, ["feed", "--json"])).stdout.trim().split("\n");
    const told = news.map((line) => JSON.parse(line));
    expect(told.filter(({ job }) => job === first).map(({ type }) => type)).toEqual([
      "job:queued",
      "job:started",
      "job:completed",
    ]);
    expect(told.map(({ id }) => id)).toEqual(told.map(({ id }) => id).toSorted((a, b) => a - b));
    expect((await baton(where, ["feed", "-n", "1"])).stdout).toMatch(/ {2}coder {2}completed: Done: went\n$/);
    expect((await baton(where, ["feed", "--problems"])).stdout).toBe("No problems.\n");
  });

  it("shows several projects at once, each row with its project", async () => {
    const one = await fleetProject();
    const other = { ...one, folder: join(dirname(one.folder), "other") };
    cpSync(one.folder, other.folder, { recursive: true });
    agreeIn(other);
    const ids = [(await queued(one, "Of the one")).job, (await queued(other, "Of the other")).job];
    const both = ["-C", one.folder, "-C", other.folder];
    const lines = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

    const told = lines((await baton(one, ["feed", "--json", ...both])).stdout);
    expect(told.map(({ project, job }) => [project, job])).toEqual([
      [one.folder, ids[0]],
      [other.folder, ids[1]],
    ]);
    expect((await baton(one, ["feed", ...both])).stdout).toContain(
      `${basename(other.folder)}  ${ids[1]?.slice(-6)}`,
    );
    const cost = JSON.parse((await baton(one, ["cost", "--json", ...both])).stdout);
    expect(cost).toMatchObject({
      projects: [
        { project: one.folder, total: { jobs: 1 } },
        { project: other.folder, agents: [{ agent: "coder", jobs: 1 }] },
      ],
      total: { jobs: 2 },
    });
    expect((await baton(one, ["cost", ...both])).stdout).toMatch(
      /^PROJECT .*\n.*coder.*\n.*coder.*\n.*all +2 /,
    );
    expect((await baton(one, ["cost", "--by", "job", ...both])).stdout).toMatch(/^PROJECT/);
    const time = JSON.parse((await baton(one, ["time", "--json", ...both])).stdout);
    expect(time).toMatchObject({ projects: [{ project: one.folder }, {}], total: { jobs: 2 } });
    const top = JSON.parse((await baton(one, ["top", "--json", ...both])).stdout);
    expect(top.queued.map(({ project }: { project: string }) => project).sort()).toEqual(
      [one.folder, other.folder].sort(),
    );
    const plan = await baton(one, ["plan", ...both]);
    expect(plan.stdout).toContain("All projects together. Slots: at most 2 of 4 at once, now.");
    expect(JSON.parse((await baton(one, ["plan", "--json", ...both])).stdout).projects).toHaveLength(2);
  });

  it("follows what happens, and picks out what went wrong", async () => {
    const where = await fleetProject();
    const following = new Baton(where, ["feed", "-f", "--problems", "--json"]);
    const { job } = await queued(where, "One");
    const fleet = new Baton(where, ["start", "--json"]);
    await comesToTool(where, job);
    await fleet.kill();
    await eventually("the feed tells of it", async () => following.stdout.includes("job:interrupted"));
    expect(
      following.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ job, agent: "coder", type: "job:interrupted", tone: "caution" }]);
    await following.kill();
  });
});

const comesToTool = (where: Awaited<ReturnType<typeof fleetProject>>, id: string) =>
  eventually("a tool runs", async () =>
    (await jobsIn(where)).some((job) => job.id === id && job.tools.length > 0),
  );
