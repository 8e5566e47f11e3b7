import { beforeEach, describe, expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { bash, careful, onceAfter } from "./careful.ts";
import { shown, smallWindows, stepsDone, testProject, upTo } from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal } from "./terminal.ts";

const ESCAPE = "\u001b";
const ARROW = "\u001b[A";
const CTRL_C = "\u0003";
const NOTHING_TO_CANCEL = /Esc cancels a handoff, and none is being made/g;

/** Says how the terminal was left: a command line needs both. */
const SETTINGS = "stty -a | grep -o -- '-\\?\\(icanon\\|echo\\|isig\\)\\b' | tr '\\n' ' '";
const AS_IT_WAS = "isig icanon echo";

const longCommand = onceAfter(1, { call: bash("tail -f /dev/null", "Wait") });

describe("on a terminal", () => {
  beforeEach(() => needs("script"));

  it("Escape cancels a handoff that is being written, and the session goes on", async () => {
    const neverWritten: Rule = {
      when: ({ last }) => last.includes("<handoff-request>"),
      reply: () => new Promise(() => {}),
      times: 1,
    };
    const project = await testProject({
      scenario: careful(6, neverWritten),
      agent: `session: { ${smallWindows} }`,
    });
    const { code, output } = await onTerminal(
      project,
      { columns: 120, typed: [["writing handoff 1, Esc cancels", ESCAPE]], afterwards: SETTINGS },
      ["run", "coder", "Write the files."],
    );
    expect(code, output).toBe(0);
    expect(output).toContain("Handoff cancelled");
    expect(output).toContain(AS_IT_WAS);
    expect(await stepsDone(project)).toEqual(upTo(6));
    const { sessions, handoffs } = await shown(project);
    expect(sessions[0].turns).toBeGreaterThan(5);
    expect(handoffs.length).toBeLessThan(2);
  });

  it("Escape does nothing but say so where no handoff is made, and Ctrl-C still ends the job", async () => {
    const project = await testProject({ scenario: careful(2, longCommand) });
    const typed: [string, string][] = [
      ["Bash tail -f", ARROW],
      ["", ESCAPE],
      ["none is being made", ESCAPE],
      ["", CTRL_C],
    ];
    const { code, output } = await onTerminal(project, { columns: 120, typed, afterwards: SETTINGS }, [
      "run",
      "coder",
      "Write the files.",
    ]);
    expect(code).toBe(130);
    expect(output.match(NOTHING_TO_CANCEL)).toHaveLength(1);
    expect(output).toContain(AS_IT_WAS);
    expect(await shown(project)).toMatchObject({ status: "cancelled", handoffs: [] });
  });

  it("gives the terminal back when it is ended without waiting for the agent", async () => {
    const project = await testProject({ scenario: careful(2, longCommand) });
    const typed: [string, string][] = [
      ["Bash tail -f", CTRL_C],
      ["Ending the agent", CTRL_C],
    ];
    const { code, output } = await onTerminal(project, { columns: 120, typed, afterwards: SETTINGS }, [
      "run",
      "coder",
      "Write the files.",
    ]);
    expect(code).toBe(130);
    expect(output).toContain(AS_IT_WAS);
  });
});
