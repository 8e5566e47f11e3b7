import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, testProject } from "./harness.ts";

it("plays a job under other thresholds, beside what it really cost, at prices of one's own", async () => {
  const project = await testProject({
    scenario: steady({ steps: 12, factor: 20, outputCharacters: 2_500 }),
    agent: "session: { context_threshold: 0.4 }\nprices: { claude-sonnet-4-5: { input: 30, output: 150 } }",
  });
  await baton(project, ["run", "coder", "Write the files.", "--json"]);
  const { handoffs, handoffEstimate } = JSON.parse((await baton(project, ["show", "--json"])).stdout);
  expect(handoffs.length).toBeGreaterThan(0);
  expect(handoffEstimate).toEqual({ costUsd: expect.any(Number), savedUsd: expect.any(Number) });
  const screen = await baton(project, ["show"]);
  expect(screen.stdout).toMatch(/^handoffs {2}\d, for sim\. \$\d/m);

  const { stdout } = await baton(project, ["replay", "--at", "0.4,0.6,economical", "--json"]);
  const [replay] = JSON.parse(stdout);
  expect(replay).toMatchObject({
    contextWindow: 200_000,
    onSimulator: true,
    happened: { handoffs: handoffs.length },
    simulated: { handoffs: handoffs.length },
    at: [{ threshold: "0.4" }, { threshold: "0.6" }, { threshold: "economical" }],
  });
  const [{ durationMs }] = handoffs;
  if (handoffs.length === 1) expect(replay.assumes.handoffMs).toBe(durationMs);
  expect(replay.assumes.handoffMs).toBeLessThan(20_000);
  expect(replay.at[1].handoffs).toBeGreaterThan(replay.at[0].handoffs);
  expect(replay.at[1].peakTokens).toBeLessThan(replay.at[0].peakTokens);
  // The program itself knows nothing of these prices, so its estimates are ten times its own.
  const { usage } = replay.happened;
  const atOwnPrices = usage.input * 30 + usage.output * 150 + usage.cacheRead * 3 + usage.cacheWrite * 37.5;
  expect(replay.happened.costUsd).toBeCloseTo(atOwnPrices / 1e6, 6);
});

it("plays a transcript, and refuses what is none", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  const line = (turn: number) => ({
    type: "assistant",
    timestamp: new Date(Date.UTC(2026, 0, 1) + turn * 30_000).toISOString(),
    message: {
      id: `m${turn}`,
      model: "claude-opus-4-6",
      content: [],
      usage: {
        input_tokens: 4,
        output_tokens: 200,
        cache_read_input_tokens: turn === 0 ? 0 : 38_000 + turn * 2_000,
        cache_creation_input_tokens: turn === 0 ? 40_000 : 2_000,
      },
    },
  });
  const lines = Array.from({ length: 60 }, (_, turn) => JSON.stringify(line(turn)));
  await writeFile(join(project.folder, "session.jsonl"), `${lines.join("\n")}\n`);
  const { stdout } = await baton(project, ["replay", "session.jsonl", "--at", "0.1,100000"]);
  expect(stdout).toContain("session.jsonl (60 turns, window of 200k)");
  expect(stdout).toMatch(/^really +0 +158k .* 29:30 +\$/m);
  expect(stdout).toMatch(/^100000 +2 +101k .*\+\d+%/m);
  expect(stdout.replace(/\s+/g, " ")).toContain("a ramp-up of 12k (the default) and 20 s.");

  const refused = async (...args: string[]) => (await baton(project, ["replay", ...args])).stderr;
  expect(await refused("other.jsonl")).toContain("There is no transcript other.jsonl.");
  expect(await refused("session.jsonl", "--at", "7")).toContain("7 is not a threshold.");
});
