import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import { limits } from "../src/simulator/scenarios/limits.ts";
import { comesTo, jobsIn, queued } from "./fleet-jobs.ts";
import { Baton, baton, ofType, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { beginRepository } from "./repository.ts";

const AGENT = ["session: { retry_backoff: 100ms }", "instances: { max_concurrent: 4 }"];

/** Two projects whose agents work for one account, which is at its limit after the first step of whoever comes first. */
async function twoProjects(seconds: number) {
  const here = await testProject({
    scenario: limits({ steps: 2, after: 1, seconds }),
    account: "plan",
    agent: AGENT.join("\n"),
    env: { NO_COLOR: "1" },
  });
  const folder = join(dirname(here.folder), "other");
  await mkdir(folder);
  await writeFile(
    join(folder, "baton.yaml"),
    `agents: [{ name: coder, permission_mode: bypassPermissions, ${AGENT.join(", ")} }]\n`,
  );
  await beginRepository(folder);
  return { here, there: { ...here, folder } };
}

const fleetIn = async (where: TestProject) =>
  JSON.parse((await baton(where, ["status", "--json"])).stdout).fleet;
const eventsOf = async (where: TestProject): Promise<JournalEvent[]> => {
  const [job] = await jobsIn(where);
  const { stdout } = await baton(where, ["logs", job?.id ?? "", "--json"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
};

/** A job of one project meets the limit; that of another starts when the first was answered after the reset. */
async function heldAndLetGo(seconds: number): Promise<void> {
  const { here, there } = await twoProjects(seconds);
  const terminal = new Baton(here, ["run", "Write the files.", "--json"]);
  await comesTo(here, { waiting: 1 });
  await queued(there, "Write more.");
  const fleet = new Baton(there, ["start", "--json"]);
  await eventually(
    "the limit holds it",
    async () => (await fleetIn(there)).queue[0]?.reason.code === "limit",
  );
  const shown = await fleetIn(there);
  expect(shown.queue[0].reason.text).toMatch(
    /^Claude Code is at its usage limit, which resets at \d\d:\d\d, in \d+ s$/,
  );
  expect(shown.limits).toMatchObject([{ account: "Claude Code" }]);
  expect((await baton(there, ["status"])).stdout).toMatch(
    /Claude Code is at its usage limit, which resets at \d\d:\d\d, in \d+ s: nothing of it starts until then\./,
  );

  expect(await terminal.exit).toMatchObject({ code: 0 });
  await comesTo(there, { completed: 1 });
  await baton(there, ["stop"]);
  await fleet.exit;
  const first = await eventsOf(here);
  const [over] = ofType(first, "limit:over");
  const answered = ofType(first, "response").find(({ seq }) => seq > (over?.seq ?? Infinity));
  const [started] = ofType(await eventsOf(there), "job:started");
  expect(started && answered && started.at >= answered.at).toBe(true);
}

describe("a usage limit that one job meets", () => {
  it("holds the starts of its account in all projects, and lets them go one by one", () => heldAndLetGo(4));

  it("does so with Claude Code", { tags: ["claude"] }, () => heldAndLetGo(6));
});
