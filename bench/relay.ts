import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JournalEvent } from "../src/job/events.ts";
import { type Measure, median, timed } from "./measure.ts";
import { baton, headlessClaude, jsonLines, type Program, run } from "./programs.ts";
import { type BenchProject, freshProject } from "./project.ts";
import { ANSWER_MS, TURNS } from "./scenarios/forty-turns.ts";

const ROUNDS = 7;
const PROMPT = "Take your turns.";

/** A program that runs agents, under Baton and alone. */
export interface Compared {
  /** A project whose agent runs on it. */
  project(model: { url: string }): Promise<BenchProject>;
  /** The same program with this prompt, without Baton. */
  alone(prompt: string): Program;
  /** In words. */
  aloneAs: string;
  /** How many answers of the model there were, by what it printed. */
  turnsIn(printed: string): number;
}

export const claudeCode: Compared = {
  project: (model) => freshProject(model),
  alone: headlessClaude,
  aloneAs: "claude -p --output-format stream-json",
  turnsIn: (printed) =>
    jsonLines<{ type: string; num_turns?: number }>(printed).find(({ type }) => type === "result")
      ?.num_turns ?? 0,
};

/** A job of forty turns under `baton run`, against the same script under the agent program alone. */
export function measureRelay(): Promise<Measure> {
  return measureFortyTurns("relay", claudeCode, { limit: 1.03 });
}

/** The same with a model that takes no time at all: what is left is start-up and overhead. For the record. */
export function measureRelayAtOnce(): Promise<Measure> {
  return measureFortyTurns("relay-at-once", claudeCode, { atOnce: true });
}

export async function measureFortyTurns(
  name: string,
  { project, alone, aloneAs, turnsIn }: Compared,
  { limit, atOnce = false, rounds = ROUNDS }: { limit?: number; atOnce?: boolean; rounds?: number },
): Promise<Measure> {
  const scenario = atOnce ? "forty-turns-at-once.ts" : "forty-turns.ts";
  await using model = await modelInOwnProcess(
    fileURLToPath(new URL(`./scenarios/${scenario}`, import.meta.url)),
  );
  const job = async (program: Program, count: (printed: string) => number) => {
    await using place = await project(model);
    let printed = "";
    const ms = await timed(async () => {
      printed = await run(program, place);
    });
    const turns = count(printed);
    if (turns !== TURNS) throw new Error(`${program.command} took ${turns} turns, not ${TURNS}:\n${printed}`);
    return ms;
  };
  const underBaton: number[] = [];
  const byItself: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const aloneMs = await job(alone(PROMPT), turnsIn);
    const batonMs = await job(baton("run", "coder", PROMPT, "--json"), turnsOfBaton);
    if (round < 0) continue;
    byItself.push(aloneMs);
    underBaton.push(batonMs);
  }
  return {
    name,
    value: median(underBaton) / median(byItself),
    unit: "ratio",
    ...(limit !== undefined && { limit }),
    detail: {
      compared: `baton run / ${aloneAs}`,
      batonMs: median(underBaton),
      aloneMs: median(byItself),
      turns: TURNS,
      answerMs: atOnce ? 0 : ANSWER_MS,
      rounds,
    },
  };
}

function turnsOfBaton(printed: string): number {
  return jsonLines<JournalEvent>(printed).filter(({ type }) => type === "response").length;
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
