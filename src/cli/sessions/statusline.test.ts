import { expect, it } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { statusInput } from "../../agents/claude/own/status-input.ts";
import { statusLine } from "./statusline.ts";

const told = statusInput(
  JSON.stringify({
    session_id: "s1",
    model: { id: "claude-sonnet-4-5", display_name: "Sonnet 4.5" },
    context_window: { context_window_size: 200_000, used_percentage: 42 },
  }),
);

it("shows how full the window is", () => {
  expect(statusLine(told, undefined)).toBe("Sonnet 4.5 · ████░░░░░░ 42% of 200k");
});

it("shows how many turns are left, and how a handoff stands", () => {
  const session = {
    figure: { tokens: 84_000, window: 200_000, percent: 42, turns: 9, turnsLeft: 31, source: "transcript" },
    handoff: aHandoff("asked", { number: 2 }),
    parent: null,
    pane: null,
  } as const;
  expect(statusLine(told, session)).toBe(
    "Sonnet 4.5 · ████░░░░░░ 42% of 200k · 31 turns left · handoff 2: asked for",
  );
  expect(statusLine({}, { ...session, handoff: null, parent: "s0" })).toBe(
    "████░░░░░░ 42% · 31 turns left · continues from a handoff",
  );
});

it("rounds down, also where Claude Code has rounded up", () => {
  const used = (input_tokens: number) =>
    statusInput(
      JSON.stringify({
        context_window: {
          context_window_size: 200_000,
          current_usage: {
            input_tokens,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 90,
          },
          used_percentage: Math.round(input_tokens / 2_000),
        },
      }),
    );
  expect(statusLine(used(139_000), undefined)).toBe("██████░░░░ 69% of 200k");
  expect(statusLine(used(139_910), undefined)).toBe("███████░░░ 70% of 200k");
  const untold = { current_usage: { input_tokens: 0 }, used_percentage: 0 };
  expect(statusLine(statusInput(JSON.stringify({ context_window: untold })), undefined)).toBe(
    "no figure yet",
  );
  expect(statusLine(statusInput('{"context_window":{"used_percentage":69.9}}'), undefined)).toBe(
    "██████░░░░ 69%",
  );
});

it("says what a stored handoff waits for", () => {
  const pane = { socket: "/tmp/tmux", id: "%1" };
  const session = { figure: null, handoff: aHandoff("stored", { number: 2 }), parent: null, pane };
  expect(statusLine({}, session)).toContain("handoff 2: stored, waits for an empty prompt");
  expect(statusLine({}, { ...session, pane: null })).toMatch(/handoff 2: stored$/);
});

it("shows something also where Claude Code sends nothing that it knows", () => {
  for (const text of ["", "[]", "{}", '{"model":"x"}'])
    expect(statusLine(statusInput(text), undefined)).toBe("no figure yet");
});
