import { z } from "zod";
import type { OwnTool } from "../agents/agent.ts";
import { type Account, textOf } from "./account.ts";
import { HANDOFF_LIMITS } from "./limits.ts";

/** A text that an agent gives: as long as any has reason to be. */
const upTo = (characters: number) =>
  z.string().trim().max(characters, `At most ${characters} characters: say it shorter.`);

const listOf = <T extends z.ZodType>(entry: T) =>
  z
    .array(entry)
    .max(HANDOFF_LIMITS.entries, `At most ${HANDOFF_LIMITS.entries} entries: put some of them together.`)
    .default([]);

const text = upTo(HANDOFF_LIMITS.text);
const line = upTo(HANDOFF_LIMITS.line);
const texts = listOf(text);

/** An account, as an agent gives it to a tool. */
export const accountShape = {
  goal: text.describe("What the work is for, in the user's terms"),
  constraints: texts.describe("Every constraint and preference of the user, word for word"),
  progress: z
    .object({ done: texts, in_progress: texts, pending: texts })
    .describe("What is done, in progress and pending"),
  current_state: text.describe("Exactly where the work stands now"),
  decisions: listOf(z.object({ decision: text, reason: text })).describe("Each decision with its reason"),
  failed_attempts: texts.describe("What was tried and did not work"),
  critical_context: texts.describe(
    "Exact commands, error texts, names and numbers that the next session needs",
  ),
  open_issues: texts.describe("Open questions and blockers"),
  next_steps: texts.describe("What to do next, in order"),
  files_changed: listOf(z.object({ path: line, change: text.default("") })).describe(
    "Every file that was changed, with what changed in it",
  ),
  active_subagents: texts.describe("Subagents that still run, with their ids"),
  links: texts.describe("Plans, issues and documents that matter"),
  extra: listOf(z.object({ title: line, text })).describe("Further sections that were asked for by name"),
};

/** What the agent reads when it has called one of these tools. */
export interface ToolAnswer {
  ok: boolean;
  text: string;
}

export function submitHandoff(submit: (account: Account) => ToolAnswer): OwnTool {
  const schema = z.object(accountShape);
  return {
    name: "submit_handoff",
    description: "Hands over your work to a fresh session. Only call it when you are asked for a handoff.",
    input: accountShape,
    call: async (input) => {
      const account = accountFrom(schema.parse(input));
      const tooLong = overlong(account);
      return tooLong === undefined ? submit(account) : { ok: false, text: tooLong };
    },
  };
}

export function requestHandoff(request: (reason: string) => ToolAnswer): OwnTool {
  const input = { reason: line.default("").describe("Why a fresh window is needed, in a sentence") };
  return {
    name: "request_handoff",
    description:
      "Asks for a handoff to a fresh session at the next tool boundary. Call it before a step that needs more room than your window has left.",
    input,
    call: async (given) => request(z.object(input).parse(given).reason),
  };
}

export function reportStatus(report: (status: string) => Promise<ToolAnswer>): OwnTool {
  const input = {
    status: upTo(HANDOFF_LIMITS.report)
      .min(1)
      .describe("The state of the task, such as: blocked by …, tests pass"),
  };
  return {
    name: "report_status",
    description:
      "Reports how your task stands to the orchestrator that gave it to you: when you are blocked, or have something that it should know before you are done. It sees by itself whether you are at work or have ended.",
    input,
    call: async (given) => report(z.object(input).parse(given).status),
  };
}

/** All of its texts together go into one document. */
export function overlong(account: Account): string | undefined {
  const { length } = textOf(account);
  if (length <= HANDOFF_LIMITS.account) return undefined;
  return `The account has ${length} characters, and ${HANDOFF_LIMITS.account} is the most. Say it shorter, and submit it again.`;
}

export function accountFrom(given: z.infer<z.ZodObject<typeof accountShape>>): Account {
  const { progress } = given;
  return {
    goal: given.goal,
    constraints: given.constraints,
    progress: { done: progress.done, inProgress: progress.in_progress, pending: progress.pending },
    currentState: given.current_state,
    decisions: given.decisions,
    failedAttempts: given.failed_attempts,
    criticalContext: given.critical_context,
    openIssues: given.open_issues,
    nextSteps: given.next_steps,
    filesChanged: given.files_changed,
    activeSubagents: given.active_subagents,
    links: given.links,
    extra: given.extra,
  };
}
