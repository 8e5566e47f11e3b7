import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JournalEvent } from "../src/job/events.ts";
import { type Measure, median, timed } from "./measure.ts";
import { baton, headlessClaude, jsonLines, type Program, runAndCount } from "./programs.ts";
import { type BenchProject, freshProject } from "./project.ts";
import { ANSWER_MS, QUICK_MODEL_MS, TURNS } from "./scenarios/forty-turns.ts";

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

interface Took {
  ms: number;
  /** Of the processors. */
  cpuMs: number;
}

export const claudeCode: Compared = {
  project: (model) => freshProject(model),
  alone: headlessClaude,
  aloneAs: "claude -p --output-format stream-json",
  turnsIn: (printed) =>
    jsonLines<{ type: string; num_turns?: number }>(printed).find(({ type }) => type === "result")
      ?.num_turns ?? 0,
};

/** How soon the model answers. */
const ANSWERS = {
  "at-once": { scenario: "forty-turns-at-once.ts", answerMs: 0 },
  soon: { scenario: "forty-turns.ts", answerMs: ANSWER_MS },
  "quick-model": { scenario: "forty-turns-of-a-quick-model.ts", answerMs: QUICK_MODEL_MS },
};

/** A job of forty turns under `baton run`, against the same script under the agent program alone. */
export function measureRelay(): Promise<Measure> {
  return measureFortyTurns("relay", claudeCode, { limit: 1.03 });
}

/** The same with a model that takes no time at all: what is left is start-up and overhead. For the record. */
export function measureRelayAtOnce(): Promise<Measure> {
  return measureFortyTurns("relay-at-once", claudeCode, { answers: "at-once" });
}

export async function measureFortyTurns(
  name: string,
  { project, alone, aloneAs, turnsIn }: Compared,
  {
    limit,
    answers = "soon",
    rounds = ROUNDS,
  }: { limit?: number; answers?: keyof typeof ANSWERS; rounds?: number },
): Promise<Measure> {
  const { scenario, answerMs } = ANSWERS[answers];
  await using model = await modelInOwnProcess(
    fileURLToPath(new URL(`./scenarios/${scenario}`, import.meta.url)),
  );
  const job = async (program: Program, count: (printed: string) => number) => {
    await using place = await project(model);
    let said = { printed: "", cpuMs: 0 };
    const ms = await timed(async () => {
      said = await runAndCount(program, place);
    });
    const { printed, cpuMs } = said;
    const turns = count(printed);
    if (turns !== TURNS) throw new Error(`${program.command} took ${turns} turns, not ${TURNS}:\n${printed}`);
    return { ms, cpuMs };
  };
  const underBaton: Took[] = [];
  const byItself: Took[] = [];
  for (let round = -1; round < rounds; round++) {
    const itself = await job(alone(PROMPT), turnsIn);
    const withBaton = await job(baton("run", "coder", PROMPT, "--json"), turnsOfBaton);
    if (round < 0) continue;
    byItself.push(itself);
    underBaton.push(withBaton);
  }
  const batonMs = median(underBaton.map(({ ms }) => ms));
  const aloneMs = median(byItself.map(({ ms }) => ms));
  const batonCpuMs = median(underBaton.map(({ cpuMs }) => cpuMs));
  const aloneCpuMs = median(byItself.map(({ cpuMs }) => cpuMs));
  return {
    name,
    value: batonMs / aloneMs,
    unit: "ratio",
    ...(limit !== undefined && { limit }),
    detail: {
      compared: `baton run / ${aloneAs}`,
      batonMs,
      aloneMs,
      // What a model's pace does not change.
      addedPerTurnMs: (batonMs - aloneMs) / TURNS,
      // Of the quickest run of each, to which other work on the machine adds least.
      quickest: Math.min(...underBaton.map(({ ms }) => ms)) / Math.min(...byItself.map(({ ms }) => ms)),
      // Which a busy machine changes less.
      batonCpuMs,
      aloneCpuMs,
      turns: TURNS,
      answerMs,
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
