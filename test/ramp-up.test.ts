import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyAccount } from "../src/handoff/account.ts";
import type { Scenario, ToolCall } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { money } from "../src/util/figures.ts";
import { baton, testProject, upTo } from "./harness.ts";
import { asksForHandoff, bash } from "./one-handoff.ts";

const SESSIONS = 7;
const FILES = upTo(4).map((number) => `src/part-${number}.ts`);

const read = (path: string): ToolCall => ({ tool: "Read", input: { file_path: path } });
const edit = (path: string, removed: string, added: string): ToolCall => ({
  tool: "Edit",
  input: { file_path: path, old_string: removed, new_string: added },
});

/** Most sessions look at one file that the one before had read, and work. The last one knows nothing, and undoes some of it. */
function callsOf(session: number): ToolCall[] {
  const work = edit("src/part-1.ts", `value = ${session - 1}`, `value = ${session}`);
  if (session === SESSIONS)
    return [...FILES.map(read), bash("ls src"), edit("src/part-1.ts", "value = 6", "value = 5")];
  return [read("src/part-1.ts"), work, bash("ls src"), ...FILES.slice(1).map(read), asksForHandoff];
}

function relay(): Scenario {
  const sessions: string[] = [];
  return {
    name: "relay",
    summary: "",
    otherwise(request) {
      const { sessionId = "", turns } = request;
      if (!sessions.includes(sessionId)) sessions.push(sessionId);
      const session = sessions.indexOf(sessionId) + 1;
      if (isHandoffRequest(request)) {
        const account = { ...emptyAccount(), goal: "Count.", currentState: `At ${session}.` };
        return handOver(request, account);
      }
      const call = callsOf(session)[turns];
      return call ? { call } : { say: "Counted." };
    },
  };
}

it("measures every handoff of a job, and marks the one after which all was read again", async () => {
  const project = await testProject({
    scenario: relay(),
    agent: "session: { max_handoffs_per_job: 20 }",
  });
  await mkdir(join(project.folder, "src"));
  for (const file of FILES) await writeFile(join(project.folder, file), "export const value = 0;\n");
  const { code, stdout } = await baton(project, ["run", "coder", "Count.", "--json"]);
  expect(code, stdout).toBe(0);

  const { handoffs, id } = JSON.parse((await baton(project, ["show", "--json"])).stdout);
  expect(handoffs).toHaveLength(SESSIONS - 1);
  const usual = {
    state: "reached",
    turns: 1,
    seconds: expect.any(Number),
    filesReadAgain: { count: 4, paths: FILES },
    commandsRepeated: { count: 0, commands: [] },
    editsRedone: { count: 0, paths: [] },
    isFarAbove: false,
  };
  for (const { rampUp } of handoffs.slice(0, -1)) {
    expect(rampUp).toMatchObject(usual);
    expect(rampUp.tokens).toBeGreaterThan(0);
    expect(rampUp.costEstimateUsd).toBeGreaterThan(0);
  }
  expect(handoffs.at(-1).rampUp).toMatchObject({
    state: "ended",
    turns: 7,
    filesReadAgain: { count: 4, paths: FILES },
    commandsRepeated: { count: 1, commands: ["ls src"] },
    editsRedone: { count: 1, paths: ["src/part-1.ts"] },
    median: { handoffs: 5, turns: 1, tokens: expect.any(Number), seconds: expect.any(Number) },
    isFarAbove: true,
  });

  const report = (await baton(project, ["show", id])).stdout;
  expect(report).toMatch(/handoff 1 .*\n +ramp-up: 1 turn, \S+ tokens, \S+; 4 files read again\n/);
  expect(report).toMatch(
    /no new work in 7 turns, .*; 4 files read again, 1 command repeated with the same result, 1 edit redone\n/,
  );
  const farAbove =
    /far above the median of this agent \(1 turn, \S+ tokens over 5 handoffs\); the next document should include what was read again: src\/part-1\.ts, .*part-4\.ts; run again: ls src/;
  expect(report).toMatch(farAbove);

  const listed = (await baton(project, ["handoffs", id])).stdout;
  expect(listed.match(/ 1 turn, \S+ tokens {2}/g)).toHaveLength(5);
  expect(listed).toMatch(/7 turns, \S+ tokens, no new work !/);
  expect(listed).toMatch(new RegExp(`^! The ramp-up of handoff 6 is ${farAbove.source}\\.$`, "m"));
  const inJson = JSON.parse((await baton(project, ["handoffs", id, "--json"])).stdout);
  expect(inJson.map(({ rampUp }: { rampUp: unknown }) => rampUp)).toEqual(
    handoffs.map(({ rampUp }: { rampUp: unknown }) => rampUp),
  );

  const cost = (await baton(project, ["cost"])).stdout;
  expect(cost).toMatch(
    /^AGENT +JOBS +TURNS +SENT +RECEIVED +COST +SIMULATED\ncoder +1 +\d+ +\S+ +\S+ +\$0\.00 +\$\d+\.\d\d\n$/,
  );
  for (const by of ["day", "agent", "model", "job"]) {
    const { rows, total } = JSON.parse((await baton(project, ["cost", "--by", by, "--json"])).stdout);
    const [{ costUsd, simulatedCostUsd }] = rows;
    expect(rows).toHaveLength(1);
    expect({ costUsd, simulatedCostUsd: money(simulatedCostUsd) }).toEqual({
      costUsd: 0,
      simulatedCostUsd: cost.match(/\$\d+\.\d\d$/m)?.[0],
    });
    expect(total).toMatchObject({ costUsd, simulatedCostUsd: expect.closeTo(simulatedCostUsd) });
  }
  expect((await baton(project, ["cost", "--by", "day", "--since", "today"])).stdout).toMatch(
    /^DAY +RESPONSES +SENT +RECEIVED +COST +SIMULATED\n\d{4}-\d\d-\d\d +\d+ +\S+ +\S+ +\$0\.00 +\$\d+\.\d\d\n$/,
  );
  const rampUp = (await baton(project, ["cost", "--ramp-up"])).stdout;
  expect(rampUp).toMatch(/^coder +6 +1 +\S+ +\S+ +sim\. \$\d+\.\d\d +24 +1 +1 +1$/m);
  expect(rampUp).toContain("coder: read again most often: src/part-1.ts (6 handoffs)");
  expect(rampUp).toMatch(
    new RegExp(`${id}, handoff 6, is far above the median: 7 turns, .*; read again: src`),
  );
  const [agent] = JSON.parse((await baton(project, ["cost", "--json"])).stdout).agents;
  expect(agent).toMatchObject({
    agent: "coder",
    jobs: 1,
    costEstimated: false,
    jobsOfUnknownCost: 0,
    rampUp: {
      handoffs: 6,
      median: { handoffs: 5, turns: 1 },
      filesReadAgain: 24,
      commandsRepeated: 1,
      editsRedone: 1,
      farAboveMedian: [{ job: id, number: 6, turns: 7 }],
    },
  });
});
