import { describe, expect, it } from "vitest";
import { widthOf } from "../src/display/width.ts";
import { comesTo, counts, fleetProject, go, jobsIn, queued } from "./fleet-jobs.ts";
import { Baton, baton } from "./harness.ts";
import { needs } from "./needs.ts";
import { eventually, Tmux } from "./panes.ts";

describe("baton top", () => {
  it("shows the fleet at 60, 100 and 200 columns, and acts on its jobs by keys", async () => {
    needs("tmux");
    const where = await fleetProject("instances: { max_concurrent: 1 }\nlimits: { cost_usd: 5 }");
    const first: string = (await queued(where, "One")).job;
    const second: string = (await queued(where, "Two")).job;
    const third: string = (await queued(where, "Three")).job;
    const fleet = new Baton(where, ["start", "--json"]);
    await comesTo(where, { running: 1, queued: 2 });
    const tmux = await Tmux.start(where);
    const line = `${process.execPath} ${where.program} top; echo "exit code $?"; exec tail -f /dev/null`;
    const screen = await tmux.open(where.folder, "sh", "-c", line);
    const at = async (columns: number, shows: RegExp) => {
      await tmux.run("resize-window", "-t", screen.id, "-x", String(columns), "-y", "24");
      await screen.shows(shows);
      const text = await eventually("a whole screen", async () => {
        const seen = await screen.text();
        return seen.split("AT WORK").length === 2 && shows.test(seen) && seen;
      });
      expect(Math.max(...text.split("\n").map(widthOf))).toBeLessThanOrEqual(columns);
      return text;
    };
    const short = (id: string) => id.slice(-6);

    const wide = await at(200, /sim\. \$\d\.\d\d\/\$5\.00/);
    expect(wide).toMatch(/fleet running .* · 1 running · 2 queued · 1 of 4 slots/);
    expect(wide).toMatch(
      new RegExp(
        `› ${short(first)} coder +. running .*┃.*Bash \\(\\d+ s\\) until .* sim\\. \\$0\\.\\d\\d/\\$5\\.00`,
      ),
    );
    expect(wide).toMatch(new RegExp(`${short(second)} coder +. queued +1\\. coder is at 1 of 1`));
    expect(await at(100, new RegExp(`${short(first)} coder +. running .*┃`))).toContain("q quit");
    expect(await at(60, new RegExp(`${short(first)} (?:coder +)?. running .*┃`))).toContain("q quit");

    await screen.presses("p");
    await screen.shows("queue paused");
    await screen.presses("p");
    await screen.shows("The queue is no longer paused.");
    await screen.presses("Down", "Down");
    await screen.shows(new RegExp(`› ${short(third)}`));
    await screen.presses("f");
    await screen.shows(new RegExp(`${short(third)} (?:coder +)?. queued +1\\.`));
    await screen.presses("c");
    await screen.shows(`Cancel ${short(third)}?`);
    await screen.presses("n");
    await screen.shows("q quit");
    expect(await counts(where)).toEqual({ running: 1, queued: 2 });
    await screen.presses("c");
    await screen.shows(`Cancel ${short(third)}?`);
    await screen.presses("y");
    await comesTo(where, { running: 1, queued: 1, cancelled: 1 });

    await screen.presses("Up", "Up", "Enter");
    await screen.shows(/spent on[\s\S]*request\s+One/);
    await screen.presses("Escape");
    await screen.shows(/QUEUED 1/);
    await screen.presses("h");
    await screen.shows(`Hand off ${short(first)}?`);
    await screen.presses("y");
    await eventually("the job has heard of it", async () =>
      (await baton(where, ["logs", first, "--json"])).stdout.includes("handoff:requested"),
    );
    await go(where);
    await screen.shows(`${short(first)} has handed off.`);
    await comesTo(where, { completed: 2, cancelled: 1 });
    await screen.shows(/COMPLETED TODAY 2/);
    await screen.presses("q");
    await screen.shows("exit code 0");
    await fleet.kill();
    expect(await jobsIn(where)).toHaveLength(3);
  });

  it("is one look without a terminal, and one object for programs", async () => {
    const where = await fleetProject();
    const empty = await baton(where, ["top"]);
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    expect(empty.stdout).toMatch(/The fleet is not running: nothing will start\.[\s\S]*No jobs today\./);
    const { job } = await queued(where, "One");
    const { stdout } = await baton(where, ["top"]);
    expect(stdout).toContain("The fleet is not running: nothing will start.");
    expect(stdout).toMatch(/QUEUED 1\n.* queued +1\. the fleet is not running/);
    const view = JSON.parse((await baton(where, ["top", "--json"])).stdout);
    expect(view).toMatchObject({
      fleet: { state: "not running" },
      queuePaused: false,
      atWork: [],
      queued: [{ id: job, status: "queued", queued: { position: 1 } }],
    });
  });
});
