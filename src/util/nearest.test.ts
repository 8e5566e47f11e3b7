import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const KEYS = ["session", "env", "model", "max_turns", "handoff"];

describe("the nearest word", () => {
  it.each([
    ["sesion", "session"],
    ["evn", "env"],
    ["maxTurns", "max_turns"],
    ["Model", "model"],
    ["hand_off", "handoff"],
  ])("to %s is %s", (word, expected) => {
    expect(nearest(word, KEYS)).toBe(expected);
  });

  it.each(["workspace", "x", "", "modules_and_more"])("to %j is none", (word) => {
    expect(nearest(word, KEYS)).toBeUndefined();
  });
});
