import { describe, expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { bash } from "./careful.ts";
import { baton, ofType, testProject } from "./harness.ts";

const RUN = ["run", "Work.", "--json"];
const env = { CLAUDE_CODE_MAX_RETRIES: "0" };

/** Runs one command, and is done. */
function runs(command: string): Scenario {
  return {
    name: "runs",
    summary: "Runs one command",
    rules: [],
    otherwise: ({ results }) => (results.length === 0 ? { call: bash(command, "Test") } : { say: "Done." }),
  };
}

/** Runs the same test again and again, and then what hangs. */
function loopsAndHangs(): Scenario {
  let calls = 0;
  return {
    name: "loops and hangs",
    summary: "Runs the same test again and again, and then one that hangs",
    rules: [],
    otherwise: () => ({
      call: bash(calls++ < 5 ? "echo '2 failing'; exit 1" : "tail -f /dev/null", "Test"),
    }),
  };
}

/** Works for longer than the time in which a sign of life is wanted, and prints nothing meanwhile. Most of it is at rest: so do other tests. */
const QUIET_TEST = `node -e '
const rest = new Int32Array(new SharedArrayBuffer(4));
const end = Date.now() + 9000;
while (Date.now() < end) {
  const work = Date.now() + 40;
  while (Date.now() < work);
  Atomics.wait(rest, 0, 0, 80);
}'`;

const toldApart = async () => {
  const agent = "session: { stall_timeout: 6s, retry_backoff: 50ms, max_retries: 0 }";
  const busy = await testProject({ scenario: runs(QUIET_TEST), agent, env });
  const stuck = await testProject({ scenario: loopsAndHangs(), agent, env });
  const [worked, stalled] = await Promise.all([baton(busy, RUN), baton(stuck, RUN)]);
  expect(worked.code).toBe(0);
  expect(ofType(worked.events, "stall:over").filter(({ outcome }) => outcome === "ended")).toEqual([]);
  expect(ofType(worked.events, "circles:suspected")).toEqual([]);
  const [circles] = ofType(stalled.events, "circles:suspected");
  expect(circles).toMatchObject({ kind: "commands", times: 5, what: expect.stringContaining("2 failing") });
  expect(stalled.events.find(({ seq }) => seq === circles?.since)).toMatchObject({ type: "tool:start" });
  expect(stalled.code).toBe(3);
  // The last of them: a program that is slow to start is suspected, too, and Claude Code speaks once more after three seconds.
  expect(ofType(stalled.events, "stall:suspected").at(-1)).toMatchObject({
    tool: expect.stringContaining("tail -f"),
    watched: ["events", "processes", "git", "files"],
  });
  expect(ofType(stalled.events, "stall:over").at(-1)).toMatchObject({ outcome: "ended" });
  expect(ofType(stalled.events, "job:paused")).toMatchObject([{ code: "stalled" }]);
};

describe.runIf(process.platform === "linux")(
  "a command that hangs, one that is run again and again, and a long quiet test",
  () => {
    it("are told apart", toldApart);

    it("are told apart on Claude Code", { tags: ["claude"] }, toldApart);
  },
);
