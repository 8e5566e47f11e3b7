import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openProjectStore } from "../src/app/project.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { DAY_MS } from "../src/util/time.ts";
import { ASKS, asked, type } from "./asking.ts";
import { bash } from "./careful.ts";
import { comesTo } from "./fleet-jobs.ts";
import { Baton, baton } from "./harness.ts";
import { hookedProject, RUN, records, type Told, told } from "./hooked.ts";
import { eventually } from "./panes.ts";

/** What a notice has beyond the payload of its event. */
type Notified = Told & {
  answer_with: string;
  notices?: { title: string }[];
  metadata: Record<string, unknown>;
};
const heard = async (...from: Parameters<typeof told>) => (await told(...from)) as Notified[];

const runs = (command: string): Scenario => ({
  name: "runs",
  summary: "Runs one command",
  rules: [],
  otherwise: ({ results }) => (results.length === 0 ? { call: bash(command, "Work") } : { say: "Done." }),
});

it("tells of a stall with its evidence, and of work to review, each with the command that answers it", async () => {
  const project = await hookedProject({
    scenario: runs("tail -f /dev/null"),
    agent:
      "session: { stall_timeout: 1s, max_retries: 0 }\nworkspace: { strategy: git_worktree, push_on_success: false }",
    notify: {
      events: ["stall", "pause"],
      hooks: [records("all"), records("stalls", "", { on_events: ["stall"] })],
    },
  });
  const { events } = await baton(project, ["run", "Work.", "--json"]);
  const id = events[0]?.job.split("-").at(-1);
  expect(await heard(project, "all")).toMatchObject([
    {
      hook_event_name: "stall",
      answer_with: `baton logs ${id}`,
      metadata: { kind: "stall", tool: expect.stringContaining("tail -f"), watched: expect.any(Array) },
    },
    { hook_event_name: "paused", answer_with: `baton resume ${id}` },
  ]);
  expect(await heard(project, "stalls")).toMatchObject([{ event: "stall" }]);
});

it("tells of work to review", async () => {
  const project = await hookedProject({
    scenario: runs("echo one > work.txt; echo done"),
    agent: "workspace: { strategy: git_worktree, push_on_success: false }",
    notify: { events: ["review"], hooks: [records("all")] },
  });
  const { events } = await baton(project, ["run", "Work.", "--json"]);
  const id = events[0]?.job.split("-").at(-1);
  expect(await heard(project, "all")).toMatchObject([
    { hook_event_name: "review", job: { status: "completed" }, answer_with: `baton diff ${id}` },
  ]);
});

it("tells of an ask with the command that allows it", async () => {
  const project = await hookedProject({
    scenario: runs("touch made"),
    agent: ASKS,
    notify: { events: ["ask", "pause"], hooks: [records("all")] },
  });
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  const [told] = await eventually("it is told", async () => {
    const all = await heard(project, "all");
    return all.length > 0 && all;
  });
  expect(told).toMatchObject({ hook_event_name: "ask", answer_with: `baton approve ${ask}` });
  await type(project, "approve", ask);
  expect(await running.exit).toMatchObject({ code: 0 });
});

it("tells of a budget that is used up", async () => {
  const project = await hookedProject({
    scenario: runs("echo hi"),
    notify: { events: ["budget"], hooks: [records("all")] },
  });
  const budget = "{ scope: fleet, per: day, cost_usd: 0.01, then: warn, simulated: true }";
  await appendFile(join(project.folder, "baton.yaml"), `budgets: [${budget}]\n`);
  await baton(project, RUN);
  expect(await heard(project, "all")).toMatchObject([
    { hook_event_name: "budget", answer_with: "baton cost --by agent" },
  ]);
});

it("tells of a run of a schedule that was missed", async () => {
  const project = await hookedProject({
    scenario: runs("echo hi"),
    agent: 'schedules: { nightly: { cron: "0 3 * * *", prompt: Tidy up, catch_up: skip } }',
    notify: { events: ["missed"], hooks: [records("all")] },
  });
  const first = new Baton(project, ["start", "--json"]);
  await eventually("the schedule is known", async () => {
    await using store = await openProjectStore({ root: project.folder });
    const due = new Date(Date.now() - 2 * DAY_MS).toISOString();
    const changed = await store.db.updateTable("schedules").set({ next_due: due }).executeTakeFirst();
    return changed.numUpdatedRows > 0n;
  });
  const [told] = await eventually("it is told", async () => {
    const all = await heard(project, "all");
    return all.length > 0 && all;
  });
  expect(told).toMatchObject({
    hook_event_name: "missed",
    answer_with: "baton schedules run coder nightly",
  });
  await first.kill();
});

it("holds what comes up in quiet hours, and tells it with the next job after them", async () => {
  const now = new Date();
  const clock = (hours: number) => `${String((now.getUTCHours() + hours + 24) % 24).padStart(2, "0")}:00`;
  const notify = (quiet: string) => ({
    events: ["completion"],
    quiet_hours: quiet,
    timezone: "UTC",
    hooks: [records("all")],
  });
  const project = await hookedProject({
    scenario: runs("echo hi"),
    notify: notify(`${clock(-1)}-${clock(2)}`),
  });
  await baton(project, ["run", "One.", "--json"]);
  await baton(project, ["run", "Two.", "--json"]);
  expect(await heard(project, "all")).toEqual([]);
  // The night is over: what was held until its end stays so, and a new job tells its own at once.
  const yaml = [
    "agents:",
    "  - name: coder",
    "    model: claude-sonnet-4-5",
    "    permission_mode: bypassPermissions",
  ];
  const awake = `    notify: ${JSON.stringify(notify(`${clock(3)}-${clock(4)}`))}`;
  await writeFile(join(project.folder, "baton.yaml"), [...yaml, awake, ""].join("\n"));
  await baton(project, ["run", "Three.", "--json"]);
  expect((await heard(project, "all")).map(({ job }) => job.prompt)).toEqual(["Three."]);
});

it("tells alike notices of a fleet's jobs once, and not once a job", async () => {
  const project = await hookedProject({
    scenario: runs("echo hi"),
    agent: "instances: { max_concurrent: 4 }",
    notify: { events: ["completion"], hooks: [records("all")] },
  });
  for (let count = 0; count < 4; count++) await baton(project, ["run", "--queue", "Work."]);
  const fleet = new Baton(project, ["start"]);
  await comesTo(project, { completed: 4 });
  await eventually("the first is told", async () => (await heard(project, "all")).length > 0);
  await baton(project, ["stop"]);
  await fleet.exit;
  expect(await heard(project, "all")).toHaveLength(1);
});
