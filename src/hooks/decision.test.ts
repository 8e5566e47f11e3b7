import { expect, it } from "vitest";
import { decide, decisionIn, promptAdditions } from "./decision.ts";
import type { HookRun } from "./hook-run.ts";

const run = (parts: Partial<HookRun> = {}): HookRun => ({
  name: "save",
  kind: "shell",
  ok: true,
  durationMs: 1,
  output: "",
  ...parts,
});

it.each([
  ['{"decision":"continue"}', "continue"],
  ['{\n  "decision": "stop",\n  "reason": "enough"\n}\n', "stop"],
  ['Saved.\n{"decision":"abort"}\n\n', "abort"],
  ["Saved.\r\ncontinue\r\n", "continue"],
  ["  stop  ", "stop"],
])("reads %j as %s", (output, decision) => {
  expect(decisionIn(output)).toBe(decision);
});

it.each([
  "",
  "\n\n",
  "to be continued",
  "continue\nHandoff saved.",
  "Continue",
  '{"decision":"continue"',
  '{"decision":"maybe"}',
  '{"decision":{"decision":"stop"}}',
  '"continue"',
  '["continue"]',
  '{"decision":"continue"}\nmore',
])("takes %j for no decision", (output) => {
  expect(decisionIn(output)).toBeUndefined();
});

it("takes hooks that say nothing for the whole handoff", () => {
  expect(decide([run({ output: "Handoff saved.\n" })])).toEqual({ decision: "handoff-done" });
});

it("listens to the last hook that says something", () => {
  const runs = [run({ output: "stop" }), run({ output: "continue" }), run({ output: "Told everybody." })];
  expect(decide(runs)).toEqual({ decision: "continue" });
});

it("falls back to the built-in handoff when a hook failed, whatever another said", () => {
  const runs = [run({ ok: false, error: "it ended with exit code 1" }), run({ output: "continue" })];
  expect(decide(runs)).toEqual({
    decision: "built-in",
    fellBack: 'the hook "save" failed: it ended with exit code 1',
  });
});

it("falls back to the built-in handoff when every hook was skipped", () => {
  const skipped = run({ skipped: "session.worktree_path does not hold" });
  expect(decide([skipped])).toEqual({ decision: "built-in", fellBack: "no hook was for this occasion" });
  expect(decide([skipped, run()])).toEqual({ decision: "handoff-done" });
});

it("puts before the prompt what shell hooks printed, in order", () => {
  const runs = [
    run({ output: "  indented\n\n" }),
    run({ kind: "webhook", output: '{"ok":true}' }),
    run({ output: "\n" }),
    run({ ok: false, output: "half of i", error: "it was killed by SIGKILL" }),
    run({ output: "second" }),
  ];
  expect(promptAdditions(runs)).toEqual({ text: "  indented\n\nsecond", cut: false });
  expect(promptAdditions([])).toEqual({ text: "", cut: false });
});

it("cuts what is too long for a prompt, never through a character", () => {
  expect(promptAdditions([run({ output: "x".repeat(20_000) })])).toEqual({
    text: "x".repeat(16_000),
    cut: true,
  });
  expect(promptAdditions([run({ output: "ab😀" })], 3)).toEqual({ text: "ab\ufffd", cut: true });
});

it.each(['{"decision": "conti', 'Saved.\n{"decision":"maybe"}'])(
  "falls back to the built-in handoff when a hook garbles its decision: %j",
  (output) => {
    expect(decide([run({ output: "continue" }), run({ output })])).toEqual({
      decision: "built-in",
      fellBack: 'the hook "save" printed something that is not a decision',
    });
  },
);
