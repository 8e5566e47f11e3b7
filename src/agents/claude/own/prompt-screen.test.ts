import { describe, expect, it } from "vitest";
import { promptOn } from "./prompt-screen.ts";

const ESC = "\u001b";
const rule = `${ESC}[38;5;244m${"─".repeat(60)}`;
const footer = `${ESC}[39m  ${ESC}[38;5;220m⏵⏵ auto mode on${ESC}[38;5;246m (shift+tab to cycle)`;
const said = `${ESC}[48;5;237m❯ ${ESC}[38;5;231mhello${ESC}[39m\n${ESC}[49m● Hello there.\n${ESC}[38;5;246m✻${ESC}[39m Crunched for 0s · done`;

/** As Claude Code 2.1.325 draws it. */
function screen(prompt: string, { above = "", below = footer } = {}): string {
  return [said, "", above, rule, `${ESC}[39m❯\u00a0${prompt}`, `${ESC}[0m${rule}`, below, ""].join("\n");
}

describe("the prompt of a session", () => {
  it("is empty under its cursor", () => {
    expect(promptOn(screen(`${ESC}[7m `))).toEqual({ state: "empty" });
  });

  it("is empty where it shows a hint, though the cursor stands on its first letter", () => {
    expect(promptOn(screen(`${ESC}[7mT${ESC}[0;2m${ESC}[39mry "fix the tests"`))).toEqual({ state: "empty" });
  });

  it("is written where somebody has begun, wherever the cursor is", () => {
    expect(promptOn(screen(`half written${ESC}[7m `))).toEqual({ state: "written", text: "half written" });
    expect(promptOn(screen(`${ESC}[7mh${ESC}[0malf`))).toEqual({ state: "written", text: "half" });
    expect(promptOn(screen(`${ESC}[7mx`))).toEqual({ state: "written", text: "x" });
  });

  it("is written also over several lines, and in a colour whose number is that of dim", () => {
    expect(promptOn(screen(`first line\n  second${ESC}[7m `))).toMatchObject({ text: "first line second" });
    expect(promptOn(screen(`${ESC}[38;5;2m/clear${ESC}[7m `))).toMatchObject({ text: "/clear" });
  });

  it("is of a session at work while it can be interrupted, or shows its spinner", () => {
    const below = `${footer} · esc to interrupt`;
    expect(promptOn(screen(`${ESC}[7m `, { below }))).toEqual({ state: "working", text: "" });
    const above = `${ESC}[38;5;174m✽${ESC}[39m ${ESC}[38;5;216mRa${ESC}[38;5;174mzzmatazzing… ${ESC}[39m(5s)`;
    expect(promptOn(screen(`next${ESC}[7m `, { above }))).toEqual({ state: "working", text: "next" });
  });

  it("is a shell's where what is written would be run", () => {
    const shell = (text: string) => [rule, `!\u00a0${text}${ESC}[7m `, rule, "! for shell mode"].join("\n");
    expect(promptOn(shell(""))).toEqual({ state: "shell", text: "" });
    expect(promptOn(shell("ls -l"))).toEqual({ state: "shell", text: "ls -l" });
  });

  it("is none where a dialog or another program is", () => {
    expect(promptOn(`${"▔".repeat(60)}\n   Select model\n   ❯ 1. Default`)).toEqual({ state: "none" });
    expect(promptOn("$ ls\nbaton.yaml\n$ ")).toEqual({ state: "none" });
    expect(promptOn("")).toEqual({ state: "none" });
  });
});
