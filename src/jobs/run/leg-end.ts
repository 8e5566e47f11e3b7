import type { AgentEvent, Outcome } from "../../agents/events.ts";
import { inWords } from "../../config/reader/duration.ts";
import type { HandoffTrigger } from "../../handoff/document.ts";
import type { PauseCode } from "../../job/events.ts";

/** What makes a session at work hand off. */
export type WorkTrigger = Extract<HandoffTrigger, "threshold" | "forecast" | "manual" | "agent">;

/** `to`: the agent that takes over. */
export interface WantedHandoff {
  focus?: string;
  to?: string;
}

/** How the work in a session came to a stop. The session itself may still be alive. */
export type LegEnd =
  | { kind: "completed"; text: string }
  | ({ kind: "hand-off"; trigger: WorkTrigger } & WantedHandoff)
  /** Somebody has sent it something. */
  | { kind: "message" }
  | { kind: "overflow"; message: string }
  | { kind: "limited"; message: string; resetsAt?: number }
  | { kind: "trouble"; code: PauseCode; message: string; alive: boolean }
  | { kind: "paused"; code: PauseCode; message: string }
  | { kind: "no-access"; message: string }
  | { kind: "failed"; message: string };

/** Why a turn was asked to stop at its next boundary. */
export type Stop = Extract<LegEnd, { kind: "hand-off" | "paused" | "message" }>;

/** What a turn comes to that did not complete. */
export function endOfTurn(
  outcome: Exclude<Outcome, { kind: "completed" }>,
  askedToStop: Stop | undefined,
): LegEnd {
  switch (outcome.kind) {
    case "stopped":
    case "interrupted":
      return askedToStop ?? failing("The turn was stopped.", true);
    case "out-of-context":
      return { kind: "overflow", message: outcome.message };
    case "limited":
    case "no-access":
      return outcome;
    case "max-turns":
      return { kind: "paused", code: "max_turns", message: outcome.message };
    case "failed":
      return outcome.retryable
        ? failing(outcome.message, true)
        : { kind: "failed", message: outcome.message };
  }
}

export function endOfProgram({ signal, code, message }: Extract<AgentEvent, { type: "exit" }>): LegEnd {
  const how = signal ? `signal ${signal}` : `exit code ${code ?? "unknown"}`;
  return failing(`The agent program ended by itself (${message ? `${how}: ${message}` : how}).`, false);
}

export function stalled(timeoutMs: number): LegEnd {
  const message = `The agent has shown no sign of life for ${inWords(timeoutMs)} (session.stall_timeout).`;
  return { kind: "trouble", code: "stalled", alive: false, message };
}

/** Of a job that somebody has paused. */
export const PAUSE_REQUESTED = "By `baton pause`.";

function failing(message: string, alive: boolean): LegEnd {
  return { kind: "trouble", code: "api_failing", alive, message };
}

/** A limit that the user set, of one job or of many: only they can let it go on. */
export function isOwnLimit(code: PauseCode): boolean {
  return code === "limit_reached" || code === "budget";
}
