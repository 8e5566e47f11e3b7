import type { ToolAction } from "./events.ts";

/** A call that the rules of a session do not allow by themselves, as a person is asked about it. */
export interface PermissionQuestion {
  /** Of the tool call. */
  id: string;
  name: string;
  /** What tells a person most of it, at any length. */
  about: string;
  /** The whole of what it is called with: a yes holds for this alone. */
  input: unknown;
  does?: ToolAction;
  /** What would allow this call and its like for good, as in `allowedTools`. Missing where nothing would. */
  rule?: string;
  /** Why the program asks, where it says so. */
  why?: string;
  /** What the agent itself wants to know. Then `said` answers it, with a text for each. */
  questions?: AgentQuestion[];
}

/** A question of the agent's own. `several`: more than one option may be chosen. */
export interface AgentQuestion {
  question: string;
  options: { label: string; description?: string }[];
  several?: true;
}

/** `by`: the person, where others could have answered too. */
export type PermissionAnswer = { by?: string } & (
  | { answer: "once" | "always" }
  | { answer: "no"; because?: string }
  | { answer: "said"; texts: string[] }
);

/** Asks a person. Aborted when the answer is of no use any more: then whatever it says is a no. */
export type Permit = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
