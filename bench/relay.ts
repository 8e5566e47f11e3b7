import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JournalEvent } from "../src/job/events.ts";
import { type Measure, median, timed } from "./measure.ts";
import { baton, headlessClaude, jsonLines, type Program, run } from "./programs.ts";
import { freshProject } from "./project.ts";
import { ANSWER_MS, TURNS } from "./scenarios/forty-turns.ts";

const ROUNDS = 7;
const PROMPT = "Take your turns.";

/** A job of forty turns under `baton run`, against the same script under the agent program alone. */
export function measureRelay(): Promise<Measure> {
  return measure("relay", "forty-turns.ts", { limit: 1.03, answerMs: ANSWER_MS });
}

/** The same with a model that takes no time at all: what is left is start-up and overhead. For the record. */
export function measureRelayAtOnce(): Promise<Measure> {
  return measure("relay-at-once", "forty-turns-at-once.ts", { answerMs: 0 });
}

async function measure(
  name: string,
  scenario: string,
  { limit, answerMs }: { limit?: number; answerMs: number },
): Promise<Measure> {
  await using model = await modelInOwnProcess(
    fileURLToPath(new URL(`./scenarios/${scenario}`, import.meta.url)),
  );
  const underBaton: number[] = [];
  const alone: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const claudeMs = await job(model, headlessClaude(PROMPT), turnsOfClaude);
    const batonMs = await job(model, baton("run", "coder", PROMPT, "--json"), turnsOfBaton);
    if (round < 0) continue;
    alone.push(claudeMs);
    underBaton.push(batonMs);
  }
  return {
    name,
    value: median(underBaton) / median(alone),
    unit: "ratio",
    ...(limit !== undefined && { limit }),
    detail: {
      compared: "baton run / claude -p --output-format stream-json",
      batonMs: median(underBaton),
      claudeMs: median(alone),
      turns: TURNS,
      answerMs,
      rounds: ROUNDS,
    },
  };
}

async function job(
  model: { url: string },
  program: Program,
  turnsIn: (printed: string) => number,
): Promise<number> {
  await using project = await freshProject(model);
  let printed = "";
  const ms = await timed(async () => {
    printed = await run(program, project);
  });
  const turns = turnsIn(printed);
  if (turns !== TURNS) throw new Error(`${program.command} took ${turns} turns, not ${TURNS}:\n${printed}`);
  return ms;
}

function turnsOfBaton(printed: string): number {
  return jsonLines<JournalEvent>(printed).filter(({ type }) => type === "response").length;
}

function turnsOfClaude(printed: string): number {
  const lines = jsonLines<{ type: string; num_turns?: number }>(printed);
  return lines.find(({ type }) => type === "result")?.num_turns ?? 0;
}

/** Apart from this process, whose own work would otherwise slow the answers down. */
async function modelInOwnProcess(scenario: string): Promise<{ url: string } & AsyncDisposable> {
  const { command, args } = baton("simulate", scenario, "--json");
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const announced = once(createInterface({ input: child.stdout }), "line");
  const [line] = await Promise.race([announced, exited.then(() => [])]);
  if (typeof line !== "string") throw new Error(`The simulator did not start with ${scenario}.`);
  return {
    url: JSON.parse(line).env.ANTHROPIC_BASE_URL,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
