import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { limits } from "../src/simulator/scenarios/limits.ts";
import { lastDone } from "../src/simulator/scenarios/steady.ts";
import { comesTo, jobsIn, queued } from "./fleet-jobs.ts";
import { Baton, baton, ofType, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { beginRepository } from "./repository.ts";

const AGENT = ["session: { retry_backoff: 100ms }", "instances: { max_concurrent: 4 }"];

/** The limit begins after the first step of whoever comes first, and resets so many seconds after this many have met it. */
function metBy(jobs: number, seconds: number): Scenario {
  const refused = new Set<string>();
  let resetsAt = 0;
  return {
    ...limits({ steps: 2 }),
    rules: [
      {
        when: (request) =>
          request.kind === "main" &&
          lastDone(request) === 1 &&
          (refused.size < jobs || Date.now() < resetsAt * 1000),
        reply({ sessionId }) {
          if (refused.size < jobs) resetsAt = Math.ceil(Date.now() / 1000) + seconds;
          refused.add(sessionId ?? "");
          return { fault: { kind: "usage-limit", resetsAt } };
        },
      },
    ],
  };
}

/** Two projects whose agents work for one account. */
async function twoProjects(scenario: Scenario) {
  const here = await testProject({
    scenario,
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
/** When each job continued after the limit, or began, and was answered, in the order in which they were. */
async function turnsIn(where: TestProject): Promise<{ went: string; answered: string }[]> {
  const turns = (await jobsIn(where)).map(async ({ id }) => {
    const { stdout } = await baton(where, ["logs", id, "--json"]);
    const lines = stdout.trim().split("\n");
    const events = lines.map((line): JournalEvent => JSON.parse(line));
    const went = ofType(events, "limit:over").at(-1) ?? ofType(events, "job:started")[0];
    const answered = ofType(events, "response").find(({ seq }) => seq > (went?.seq ?? Infinity));
    return { went: went?.at ?? "", answered: answered?.at ?? "" };
  });
  return await Promise.all(turns);
}

/** Jobs of one project meet the limit; that of another starts, and each of them continues, when the one before was answered. */
async function heldAndLetGo(seconds: number, waiting: number): Promise<void> {
  const { here, there } = await twoProjects(metBy(waiting, seconds));
  // Before the limit, which a fleet that is slow to start would sleep through.
  const fleet = new Baton(there, ["start", "--json"]);
  await eventually("the fleet runs", async () => (await fleetIn(there)).state === "running");
  const run = () => new Baton(here, ["run", "Write the files.", "--json"]);
  const terminals = Array.from({ length: waiting }, run);
  await comesTo(here, { waiting });
  await queued(there, "Write more.");
  let shown: Awaited<ReturnType<typeof fleetIn>>;
  await eventually("the limit holds it", async () => {
    shown = await fleetIn(there);
    return shown.queue[0]?.reason.code === "limit";
  });
  expect(shown.queue[0].reason.text).toMatch(
    /^Claude Code is at its usage limit, which resets at \d\d:\d\d, in \d+ s$/,
  );
  expect(shown.limits).toMatchObject([{ account: "Claude Code" }]);
  expect((await baton(there, ["status"])).stdout).toMatch(
    /Claude Code is at its usage limit, which resets at \d\d:\d\d, in \d+ s: none of its jobs start until then\./,
  );

  for (const terminal of terminals) expect(await terminal.exit).toMatchObject({ code: 0 });
  await comesTo(there, { completed: 1 });
  await baton(there, ["stop"]);
  await fleet.exit;
  const turns = [...(await turnsIn(here)), ...(await turnsIn(there))].toSorted((a, b) =>
    a.went.localeCompare(b.went),
  );
  expect(turns).toHaveLength(waiting + 1);
  for (const [index, { went }] of turns.entries()) {
    expect(went >= (turns[index - 1]?.answered ?? "")).toBe(true);
  }
}

describe("a usage limit that one job meets", () => {
  it("holds the starts of its account in all projects, and lets them go one by one", () =>
    heldAndLetGo(10, 2));

  it("does so with Claude Code", { tags: ["claude"] }, () => heldAndLetGo(12, 1));
});
