import type { Command } from "commander";
import { expect, it } from "vitest";
import { CHANGES } from "./audited.ts";
import { program } from "./program.ts";

/** Those that change nothing of Baton's, and those that say themselves what they change, as each of its steps is done. */
const NOT_ON_THE_TRAIL: readonly string[] = [
  ...["init", "doctor", "demo", "simulate", "completion", "help"],
  ...["attach", "messages", "jobs", "ps", "show", "logs", "diff", "export", "open", "replay", "time", "cost"],
  ...["inbox", "queue", "top", "feed", "plan", "work", "work list", "dashboard", "audit"],
  ...["schedules", "schedules next", "schedules history", "service"],
  ...["token", "token create", "token list", "token revoke", "trust"],
  ...["handoff show", "handoffs", "worktrees", "checkpoints", "status", "watch"],
  ...["config", "config check", "config show", "config schema"],
];

/** Called by programs: what those do is on the trail as theirs. */
const OF_PROGRAMS = /^(?:mcp|hook|statusline|internal)\b/;

it("puts every command on the audit trail, but those that change nothing", () => {
  const names = (of: Command, before: string): string[] =>
    of.commands.flatMap((each) => [`${before}${each.name()}`, ...names(each, `${before}${each.name()} `)]);
  const all = names(program(), "").filter((name) => !OF_PROGRAMS.test(name));
  expect([...Object.keys(CHANGES), ...NOT_ON_THE_TRAIL].sort()).toEqual(all.sort());
});
