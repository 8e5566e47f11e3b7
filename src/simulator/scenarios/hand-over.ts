import type { Account } from "../../handoff/account.ts";
import { renderAccount } from "../../handoff/markdown.ts";
import type { SimulatedRequest } from "../request.ts";
import type { Reply } from "../scenario.ts";

const TOOL = "mcp__baton__submit_handoff";

export function isHandoffRequest({ last }: SimulatedRequest): boolean {
  return last.includes("<handoff-request>");
}

/** Hands the account in as a real model would: by Baton's tool, or in Markdown where there is none. */
export function handOver({ tools }: SimulatedRequest, account: Account): Reply {
  if (!tools.includes(TOOL)) return { say: renderAccount(account) };
  const { progress } = account;
  const input = {
    goal: account.goal,
    constraints: account.constraints,
    progress: { done: progress.done, in_progress: progress.inProgress, pending: progress.pending },
    current_state: account.currentState,
    decisions: account.decisions,
    failed_attempts: account.failedAttempts,
    critical_context: account.criticalContext,
    open_issues: account.openIssues,
    next_steps: account.nextSteps,
    files_changed: account.filesChanged,
    active_subagents: account.activeSubagents,
    links: account.links,
    extra: account.extra,
  };
  return { call: { tool: TOOL, input } };
}
