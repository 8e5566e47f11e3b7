import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openProjectStore } from "../src/app/project.ts";
import { putSchedule, recordFires } from "../src/store/schedules.ts";
import { ASKS, bash, inboxRows, isThere, making, RUN, type } from "./asking.ts";
import { comesTo, go } from "./fleet-jobs.ts";
import { Baton, baton, shown, type TestProject, testProject } from "./harness.ts";
import { hookedProject, records } from "./hooked.ts";
import { needs } from "./needs.ts";
import { eventually, Tmux } from "./panes.ts";

const statusLine = async (project: TestProject) => (await baton(project, ["statusline"], "{}")).stdout;

it("says which events led to a failure, and is rid of it once it was seen, until it fails again", async () => {
  const project = await hookedProject({
    scenario: making(),
    hooks: { before_run: [records("licence", "exit 7", { continue_on_error: false })] },
  });
  await baton(project, RUN);
  const { id } = await shown(project);
  const [row] = await inboxRows(project);
  expect(row).toMatchObject({ kind: "failed", id });
  const why = row?.why.map(({ text }) => text);
  expect(why).toContainEqual(expect.stringContaining("licence"));
  expect(why?.length).toBeGreaterThan(1);
  expect(await statusLine(project)).toContain("1 needs you");

  expect((await type(project, "inbox", "done", id.slice(-6))).stdout).toContain("Out of the inbox");
  expect((await type(project, "inbox")).stdout).toBe("Nothing needs you.\n");
  expect(await statusLine(project)).not.toContain("you");
  expect(await type(project, "inbox", "done", id)).toMatchObject({ code: 2 });
  await baton(project, ["resume", id, "--json"]);
  expect(await inboxRows(project)).toMatchObject([{ kind: "failed", id }]);
});

it("counts missed schedules and a broken configuration in the status line too, and more than two hundred jobs", async () => {
  const project = await testProject({ scenario: making() });
  await baton(project, RUN);
  await missedIn(project);
  await paused(project, 250);
  appendFileSync(join(project.folder, "baton.yaml"), "no_such_key: 1\n");
  const rows = await inboxRows(project);
  expect(rows).toHaveLength(252);
  expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["schedule", "configuration"]));
  expect(await statusLine(project)).toContain("252 need you");
  expect((await type(project, "inbox", "done", "coder/nightly")).code).toBe(0);
  expect(await statusLine(project)).toContain("251 need you");
});

it("is rid of a schedule that was missed once somebody starts a run of it", async () => {
  const nightly = 'schedules: { nightly: { cron: "0 3 * * *", prompt: Look. } }';
  const project = await testProject({ scenario: making(), agent: nightly });
  await missedIn(project);
  expect(await inboxRows(project)).toMatchObject([{ kind: "schedule", id: "coder/nightly" }]);
  expect((await type(project, "schedules", "run", "coder", "nightly")).code).toBe(0);
  expect(await inboxRows(project)).toEqual([]);
});

/** As if a fleet had found, when it started, that a run of this schedule was due in the night. */
async function missedIn({ folder }: TestProject): Promise<void> {
  await using store = await openProjectStore({ root: folder });
  const at = new Date().toISOString();
  const schedule = { agent: "coder", name: "nightly", definition: "", nextDue: at };
  await putSchedule(store, schedule);
  const missed = { firstDue: at, due: at, count: 1, outcome: "missed", reason: null, at };
  await recordFires(store, { ...schedule, pausedAt: null, pausedUntil: null }, null, [missed], new Date());
}

/** As if so many jobs had paused here. */
async function paused({ folder }: TestProject, count: number): Promise<void> {
  await using store = await openProjectStore({ root: folder });
  const { db } = store;
  const { number: _, ...row } = await db.selectFrom("jobs").selectAll().executeTakeFirstOrThrow();
  const job = JSON.parse(row.snapshot ?? "");
  for (let index = 0; index < count; index++) {
    const id = `job-2026-11-01-${String(index).padStart(6, "0")}`;
    const state = { id, status: "paused" as const, error: "The limit.", pauseCode: "limit_reached" };
    const snapshot = JSON.stringify({ ...job, ...state });
    await db
      .insertInto("jobs")
      .values({ ...row, id, status: "paused", snapshot })
      .execute();
  }
}

it("is in the terminal's title while a fleet runs there, and asks are answered by keys in baton top", async () => {
  needs("tmux");
  const project = await testProject({ scenario: making(bash("touch made")), agent: ASKS });
  const tmux = await Tmux.start(project);
  const open = (...words: string[]) =>
    tmux.open(
      project.folder,
      "sh",
      "-c",
      `TERM=xterm-256color ${process.execPath} ${project.program} ${words.join(" ")}; exec tail -f /dev/null`,
    );
  const fleet = await open("start");
  await type(project, "run", "coder", "Write the files.", "--queue");
  const title = () => tmux.run("display-message", "-p", "-t", fleet.id, "#{pane_title}");
  await eventually("the title", async () => (await title()).includes("(1) baton"));
  const top = await open("top");
  await top.shows(/1 needs you: baton inbox[\s\S]*a allow {2}d deny/);
  await top.presses("a");
  await top.shows(
    /needs your yes: Bash \(\w+-1\)\n +\| command: touch made[\s\S]*Allow \w+-1 as it is shown\?/,
  );
  expect(isThere(project, "made")).toBe(false);
  await top.presses("y");
  await top.shows("Delivered");
  await comesTo(project, { completed: 1 });
  expect(isThere(project, "made")).toBe(true);
});

it("has what goes in circles while the job is at work, with its evidence", async () => {
  const wait = bash("until [ -e go ]; do sleep 0.05; done");
  const project = await testProject({
    scenario: making(...Array.from({ length: 5 }, () => bash("echo same")), wait),
  });
  const running = new Baton(project, RUN);
  await running.event((event) => event.type === "circles:suspected");
  const [row] = await inboxRows(project);
  expect(row).toMatchObject({ kind: "circles", costs: "slot" });
  expect(row?.why).toMatchObject([{ text: expect.stringMatching(/echo same 5 times .*, since event \d+$/) }]);
  await go(project);
  await running.exit;
  expect((await type(project, "inbox")).stdout).toBe("Nothing needs you.\n");
});
