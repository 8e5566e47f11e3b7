import { expect, it, vi } from "vitest";
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
  /** As many as fill three windows, and as many as are done in spite of the kills. */
  steps?: number;
  stepsOfKilled?: number;
  /** What a step adds to the window: more of it where what was said is counted, and not what the model's server says of it. */
  step?: { factor: number; outputCharacters: number };
}

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

async function commandRuns(running: Baton) {
  await running.event((event) => event.type === "tool:start" && event.summary.includes("tail -f"));
  return agentCommand(running, "tail -f /dev/null");
}

/** Whole jobs on the real program of a runtime: what every one of them must be able to do. */
export function provesJobs(runtime: Runtime): void {
  const {
    name,
    project: projectFor,
    overflowFactor,
    limits: ofLimits = "told",
    kills = "at five moments",
    stepsOfKilled = 12,
    step = STEP,
  } = runtime;
  // A job that is killed five times lives as long as six of them.
  vi.setConfig({ testTimeout: 240_000 });

  provesHandoffs(runtime);

  it(`is killed ${kills} on ${name}, continued after each time, and does every step once`, REAL, async () => {
    const isAll = kills === "at five moments";
    const scenario = careful(
      stepsOfKilled,
      ...(isAll ? [onceAfter(0, { fault: silent })] : []),
      onceAfter(1, { say: "Step 2 comes now.", fault: halfway }),
      onceAfter(2, { call: bash("tail -f /dev/null", "Wait") }),
      {
        when: ({ last }) => last.includes("<handoff-request>"),
        reply: { say: "## Goal\nWrite the files.", fault: halfway },
        times: 1,
      },
    );
    const project = await projectFor(
      { ...scenario, ...steady({ steps: stepsOfKilled, ...(isAll && step), look: true }) },
      SESSION,
    );
    const stalls = (which: Fault, times = 1) =>
      vi.waitUntil(
        () => project.simulator.requests.filter(({ reply }) => reply?.fault === which).length === times,
        { timeout: 60_000, interval: 20 },
      );
    const moments: [string, (running: Baton) => Promise<unknown>][] = [
      ["while the model answers", () => stalls(halfway)],
      ["while a command runs", commandRuns],
    ];
    if (isAll) {
      moments.unshift(["before the first answer", () => stalls(silent)]);
      moments.push(
        ["while the account is written", () => stalls(halfway, 2)],
        [
          "when a session is on record, and its program is about to start",
          (running) => running.event(({ type }) => type === "session:starting"),
        ],
      );
    }
    let command: number | undefined;
    for (const [index, [moment, comes]] of moments.entries()) {
      const running = new Baton(project, index === 0 ? RUN : ["resume", "--json"]);
      const found = await comes(running);
      if (moment === "while a command runs") command = (found as { pid: number }).pid;
      await running.kill();
    }
    const { code } = await baton(project, ["resume", "--json"]);
    expect(code).toBe(0);
    const job = await shown(project);
    expect(job.status).toBe("completed");
    if (isAll) expect(job.handoffs.length).toBeGreaterThan(0);
    expect(await isRunning(command ?? 0)).toBe(false);
    expect(await stepsDone(project)).toEqual(upTo(stepsOfKilled));
  });

  it(
    {
      told: `waits for a limit whose end ${name} was told, and by its own backoff for one without`,
      untold: `waits by its own backoff for limits of ${name}, which does not tell when they end`,
      unheard: `leaves limits to ${name}, which waits for their end by itself, and tells nobody`,
    }[ofLimits],
    REAL,
    async () => {
      // Of what nobody hears, one is enough.
      const steps = ofLimits === "unheard" ? 2 : 3;
      const scenario = limits({ steps, after: 1, seconds: 2 });
      const short = onceAfter(2, { fault: { kind: "rate-limit" } });
      const rules = [...(scenario.rules ?? []), ...(ofLimits === "unheard" ? [] : [short])];
      const project = await projectFor({ ...scenario, rules }, SESSION);
      const { code, events } = await baton(project, RUN);
      expect(code).toBe(0);
      const waits = ofType(events, "limit:waiting").map(({ until, at }) => until - Date.parse(at));
      if (ofLimits === "told") expect(waits).toHaveLength(2);
      if (ofLimits === "unheard") expect(waits).toEqual([]);
      else expect(Math.min(...waits)).toBeLessThan(1_000);
      expect(ofType(events, "session:starting")).toHaveLength(1);
      expect(await stepsDone(project)).toEqual(upTo(steps));
    },
  );

  it(`hands off from facts where a prompt no longer fits the window on ${name}`, REAL, async () => {
    const project = await projectFor(
      overflow({ steps: 3, ...(overflowFactor !== undefined && { factor: overflowFactor }) }),
      "retry_backoff: 100ms",
    );
    const { code } = await baton(project, RUN);
    expect(code).toBe(0);
    const job = await shown(project);
    expect(job.handoffs).toMatchObject([{ source: "facts" }]);
    expect(await stepsDone(project)).toEqual(upTo(3));
  });
}
