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
  /** False where its program keeps to itself when a limit ends: it is tried again until then. */
  tellsReset?: boolean;
}

/** Whole jobs on the real program of a runtime: what every one of them must be able to do. */
export function provesJobs({ name, project: projectFor, overflowFactor, tellsReset = true }: Runtime): void {
  // A job that is killed five times lives for as long as six of them.
  vi.setConfig({ testTimeout: 120_000 });

  it(`finishes a job of three windows on ${name}, doing every step once`, REAL, async () => {
    const project = await projectFor(steady({ steps: 16, factor: 5, outputCharacters: 8_000 }), SESSION);
    const { code, events } = await baton(project, RUN);
    expect(code).toBe(0);
    const job = await shown(project);
    expect(job.sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual([
      "handoff",
      "handoff",
      "completed",
    ]);
    expect(job.handoffs).toMatchObject([{ source: "agent" }, { source: "agent" }]);
    expect(await stepsDone(project)).toEqual(upTo(16));
    expect(ofType(events, "tool:end").every(({ ok }) => ok)).toBe(true);
  });

  it(
    `is killed at five moments on ${name}, continued after each, and does every step once`,
    REAL,
    async () => {
      const scenario = careful(
        12,
        onceAfter(0, { fault: silent }),
        onceAfter(1, { say: "Step 2 comes now.", fault: halfway }),
        onceAfter(2, { call: bash("tail -f /dev/null", "Wait") }),
        {
          when: ({ last }) => last.includes("<handoff-request>"),
          reply: { say: "## Goal\nWrite the files.", fault: halfway },
          times: 1,
        },
      );
      const project = await projectFor(scenario, SESSION);
      const stalls = (which: Fault, times = 1) =>
        vi.waitUntil(
          () => project.simulator.requests.filter(({ reply }) => reply?.fault === which).length === times,
          { timeout: 30_000, interval: 20 },
        );
      const moments: [string, (running: Baton) => Promise<unknown>][] = [
        ["before the first answer", () => stalls(silent)],
        ["while the model answers", () => stalls(halfway)],
        ["while a command runs", (running) => agentCommand(running, "tail -f /dev/null")],
        ["while the account is written", () => stalls(halfway, 2)],
        [
          "when the next session is on record",
          (running) => running.event(({ type }) => type === "session:starting"),
        ],
      ];
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
      expect(job.handoffs.length).toBeGreaterThan(0);
      expect(await isRunning(command ?? 0)).toBe(false);
      expect(await stepsDone(project)).toEqual(upTo(12));
    },
  );

  it(
    `waits for a limit whose end ${name} was told, and by its own backoff for one without`,
    REAL,
    async () => {
      const scenario = limits({ steps: 3, after: 1, seconds: 2 });
      const short = onceAfter(2, { fault: { kind: "rate-limit" } });
      const project = await projectFor({ ...scenario, rules: [...(scenario.rules ?? []), short] }, SESSION);
      const { code, events } = await baton(project, RUN);
      expect(code).toBe(0);
      const waits = ofType(events, "limit:waiting").map(({ until, at }) => until - Date.parse(at));
      if (tellsReset) expect(waits).toHaveLength(2);
      expect(Math.min(...waits)).toBeLessThan(1_000);
      expect(ofType(events, "session:starting")).toHaveLength(1);
      expect(await stepsDone(project)).toEqual(upTo(3));
    },
  );

  it(`hands off from facts where a prompt no longer fits the window on ${name}`, REAL, async () => {
    const project = await projectFor(
      overflow({ steps: 4, ...(overflowFactor !== undefined && { factor: overflowFactor }) }),
      "retry_backoff: 100ms",
    );
    const { code } = await baton(project, RUN);
    expect(code).toBe(0);
    const job = await shown(project);
    expect(job.handoffs).toMatchObject([{ source: "facts" }]);
    expect(await stepsDone(project)).toEqual(upTo(4));
  });
}
