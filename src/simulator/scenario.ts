import type { Account } from "./environment.ts";
import type { SimulatedRequest } from "./request.ts";

/** What the simulated model says and does, by turn or by what the request holds. */
export interface Scenario {
  name: string;
  summary: string;
  /** Multiplies the tokens of the conversation, so that a window fills in a few turns. 1 unless given. */
  factor?: number;
  /** The hard limit in tokens, in place of the model's own. */
  window?: number;
  /** False reports every token sent as plain input, as without prompt caching. */
  cache?: boolean;
  /** How the program signs in: only on a plan does it see a usage limit and its reset. `key` unless given. */
  account?: Account;
  /** Asked first, in order, and for every kind of request. */
  rules?: Rule[];
  /** One for each request of the main thread that no rule claimed, in order, across all sessions. */
  steps?: Step[];
  /** Answers the main thread when the steps are used up. */
  otherwise?: Step;
}

export interface Rule {
  when: (request: SimulatedRequest) => boolean;
  reply: Step;
  /** How many requests it may claim. No limit unless given. */
  times?: number;
}

export type Step = Reply | ((request: SimulatedRequest) => Reply | Promise<Reply>);

export interface Reply {
  say?: string;
  think?: string;
  call?: ToolCall | ToolCall[];
  fault?: Fault;
  /** The answer says that the allowance of a plan is nearly used up, until then in seconds since 1970. */
  limitNear?: number;
  /** Waits this long before the first byte. */
  delayMs?: number;
}

export interface ToolCall {
  tool: string;
  input: Record<string, unknown>;
}

/** What goes wrong. `say`, `think` and `call` of the same reply are what a dropped or stalled stream was about to carry. */
export type Fault =
  /** 429: too many requests just now. */
  | { kind: "rate-limit"; retryAfterSeconds?: number }
  /** 429: the allowance of a plan is used up until `resetsAt`, in seconds since 1970. */
  | { kind: "usage-limit"; resetsAt: number; claim?: UsageClaim }
  /** Nothing is left to pay with. */
  | { kind: "no-credit" }
  /** 401: the credentials are refused. */
  | { kind: "unauthorized" }
  /** 413: the request has more bytes than the API takes. */
  | { kind: "too-large" }
  /** 500 */
  | { kind: "server-error" }
  /** 529 */
  | { kind: "overloaded" }
  /** The connection stays open and silent: from the start, or after half of the answer. */
  | { kind: "stall"; at: "start" | "middle" }
  /** The answer does not say how many tokens it took, as behind some proxies. */
  | { kind: "no-usage" }
  /** The connection breaks after half of the answer. */
  | { kind: "drop" }
  /** A complete answer with nothing in it. */
  | { kind: "empty" };

type UsageClaim = "five_hour" | "seven_day";
