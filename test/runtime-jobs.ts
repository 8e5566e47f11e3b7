import { expect, it, vi } from "vitest";
import type { SimulatedRequest } from "../src/simulator/request.ts";
import type { Fault, Scenario } from "../src/simulator/scenario.ts";
import { limits } from "../src/simulator/scenarios/limits.ts";
import { overflow } from "../src/simulator/scenarios/overflow.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, baton, ofType, shown, smallWindows, stepsDone, type TestProject, upTo } from "./harness.ts";
import { agentCommand, isRunning } from "./processes.ts";

/** Tests of the real program, as users have it. */
const REAL = { tags: ["claude"] };
const SESSION = `${smallWindows}, retry_backoff: 100ms`;
const silent: Fault = { kind: "stall", at: "start" };
const halfway: Fault = { kind: "stall", at: "middle" };

interface Runtime {
  name: string;
  /** A project whose agent runs on it, with these keys of `session`. */
  project(scenario: Scenario, session: string): Promise<TestProject>;
  /** Of an output that overflows the window. */
  overflowFactor?: number;
  /** `untold`: its program keeps to itself when a limit ends, and is tried again until then. `unheard`: it tries again by itself. */
  limits?: "told" | "untold" | "unheard";
  /**
   * `while it works`: while the model answers and while a command runs, where it matters which program it is. Of the other moments
   * the runtime is proved on another of its programs.
   */
  kills?: "at five moments" | "while it works";
  /** As many as fill three windows. */
  steps?: number;
  /** What a step adds to the window: more of it where what was said is counted, and not what the model's server says of it. */
  step?: { factor: number; outputCharacters: number };
}

const STEPS_OF_KILLED = 12;
const STEP = { factor: 5, outputCharacters: 8_000 };

/** A job of three windows on the real program of a runtime. */
export function provesHandoffs(runtime: Runtime): void {
  const { name, project: projectFor, steps = 14, step = STEP } = runtime;
  it(`finishes a job of three windows on ${name}, doing every step once`, REAL, async () => {
    const project = await projectFor(steady({ steps, ...step }), SESSION);
    const { code, events, stderr } = await baton(project, RUN);
    expect(code, stderr).toBe(0);
    const job = await shown(project);
    expect(job.sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual([
      "handoff",
      "handoff",
      "completed",
    ]);
    const written = { source: "agent", outcome: "written" };
    expect(job.handoffs).toMatchObject([written, written]);
    expect(await stepsDone(project)).toEqual(upTo(steps));
    expect(ofType(events, "tool:end").every(({ ok }) => ok)).toBe(true);
  });
}

/** Whole jobs on the real program of a runtime: what every one of them must be able to do. */
export function provesJobs(runtime: Runtime): void {
  // A job that is killed five times lives as long as six of them.
  vi.setConfig({ testTimeout: 240_000 });
  provesHandoffs(runtime);
  const { name, kills = "at five moments" } = runtime;
  const isKilled = `is killed ${kills} on ${name}, continued after each time, and does every step once`;
  if (kills === "while it works") {
    // Each start takes the program so long that all of it is one job.
    it(`${isKilled}, ${whatOfLimits(runtime)}, ${OVERFLOWS}`, REAL, () => killedAndLimited(runtime));
    return;
  }
  it(isKilled, REAL, () => killedAtFiveMoments(runtime));
  it(`${whatOfLimits(runtime)}, ${OVERFLOWS}`, REAL, async () => {
    const { steps, scenario } = limitedAndOverflowing(runtime, 1);
    const project = await runtime.project(scenario, WHOLE_WINDOWS);
    await endsInSpiteOfLimits(runtime, project, RUN, steps);
    expect((await shown(project)).sessions).toHaveLength(2);
  });
}

const WHOLE_WINDOWS = "retry_backoff: 100ms";
const OVERFLOWS = "hands off from facts where a prompt no longer fits the window";

function whatOfLimits({ name, limits: ofLimits = "told" }: Runtime): string {
  return {
    told: `waits for a limit whose end ${name} was told, and by its own backoff for one without`,
    untold: `waits by its own backoff for limits of ${name}, which does not tell when they end`,
    unheard: `leaves limits to ${name}, which waits for their end by itself, and tells nobody`,
  }[ofLimits];
}

/** Two limits, the first of them `after` so many steps, and then an output that overflows the window. */
function limitedAndOverflowing(
  { limits: ofLimits, overflowFactor: factor }: Runtime,
  after: number,
): { steps: number; scenario: Scenario } {
  const first = limits({ after, seconds: 2 });
  // Of what nobody hears, one is enough.
  const second = ofLimits === "unheard" ? [] : [onceAfter(after + 1, { fault: { kind: "rate-limit" } })];
  const at = after + second.length + 2;
  const steps = at + 1;
  const work = overflow({ steps, at, ...(factor !== undefined && { factor }) });
  const rules = [...(first.rules ?? []), ...second, ...(work.rules ?? [])];
  return { steps, scenario: { ...first, ...work, rules } };
}

async function endsInSpiteOfLimits(
  { limits: ofLimits = "told" }: Runtime,
  project: TestProject,
  args: string[],
  steps: number,
): Promise<void> {
  const { code, events } = await baton(project, args);
  expect(code).toBe(0);
  const waits = ofType(events, "limit:waiting").map(({ until, at }) => until - Date.parse(at));
  if (ofLimits === "told") expect(waits).toHaveLength(2);
  if (ofLimits === "unheard") expect(waits).toEqual([]);
  else expect(Math.min(...waits)).toBeLessThan(1_000);
  const { sessions, handoffs } = await shown(project);
  const last = [{ endReason: "out-of-context" }, { endReason: "completed" }];
  expect(sessions.slice(-2)).toMatchObject(last);
  expect(handoffs.at(-1)).toMatchObject({ trigger: "overflow", source: "facts" });
  expect(await stepsDone(project)).toEqual(upTo(steps));
}

/** The model begins to answer, and does not end it. */
const answersHalfway = () => onceAfter(1, { say: "Step 2 comes now.", fault: halfway });
const runsForever = () => onceAfter(2, { call: bash("tail -f /dev/null", "Wait") });

/** Resolves once the model has failed in this way so many times. */
function stalls({ simulator }: TestProject, which: Fault, times = 1): Promise<unknown> {
  const failed = () => simulator.requests.filter(({ reply }) => reply?.fault === which).length === times;
  return vi.waitUntil(failed, { timeout: 60_000, interval: 20 });
}

async function commandRuns(running: Baton) {
  await running.event((event) => event.type === "tool:start" && event.summary.includes("tail -f"));
  return agentCommand(running, "tail -f /dev/null");
}

/** A job that is killed at each of these moments, and continued. */
async function killedAt<T>(project: TestProject, moments: ((running: Baton) => Promise<T>)[]): Promise<T[]> {
  const found: T[] = [];
  for (const comes of moments) {
    const running = new Baton(project, found.length === 0 ? RUN : ["resume", "--json"]);
    found.push(await comes(running));
    await running.kill();
  }
  return found;
}

async function killedAndLimited(runtime: Runtime): Promise<void> {
  const { steps, scenario } = limitedAndOverflowing(runtime, 3);
  const { rules = [] } = careful(steps, answersHalfway(), runsForever(), ...(scenario.rules ?? []));
  const project = await runtime.project({ ...scenario, rules }, WHOLE_WINDOWS);
  const [, command] = await killedAt<unknown>(project, [() => stalls(project, halfway), commandRuns]);
  await endsInSpiteOfLimits(runtime, project, ["resume", "--json"], steps);
  expect(await isRunning((command as { pid: number }).pid)).toBe(false);
}

async function killedAtFiveMoments({ project: projectFor, step = STEP }: Runtime): Promise<void> {
  const rules = [
    onceAfter(0, { fault: silent }),
    answersHalfway(),
    runsForever(),
    {
      when: ({ last }: SimulatedRequest) => last.includes("<handoff-request>"),
      reply: { say: "## Goal\nWrite the files.", fault: halfway },
      times: 1,
    },
  ];
  const work = {
    ...careful(STEPS_OF_KILLED, ...rules),
    ...steady({ steps: STEPS_OF_KILLED, ...step, look: true }),
  };
  const project = await projectFor(work, SESSION);
  const [, , command] = await killedAt<unknown>(project, [
    () => stalls(project, silent),
    () => stalls(project, halfway),
    commandRuns,
    // While the account is written.
    () => stalls(project, halfway, 2),
    // A session is on record, and its program is about to start.
    (running) => running.event(({ type }) => type === "session:starting"),
  ]);
  const { code } = await baton(project, ["resume", "--json"]);
  expect(code).toBe(0);
  const job = await shown(project);
  expect(job.status).toBe("completed");
  expect(job.handoffs.length).toBeGreaterThan(0);
  expect(await isRunning((command as { pid: number }).pid)).toBe(false);
  expect(await stepsDone(project)).toEqual(upTo(STEPS_OF_KILLED));
}
