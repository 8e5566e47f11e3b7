import type { AgentEvent } from "../../agents/events.ts";
import { TOKENS_A_CHARACTER } from "../../agents/tokens.ts";

/** What was said and done since the window was last empty. */
export interface Weighed {
  messages: number;
  toolCalls: number;
  characters: number;
}

export const NOTHING_WEIGHED: Weighed = { messages: 0, toolCalls: 0, characters: 0 };

/**
 * On two long public transcripts these two numbers are 3 % off in the median, and 15 % in nine of ten cases: what a
 * session holds before anything is said, and what a character of a message or a tool call comes to.
 */
const BEFORE_ANYTHING = 31_000;

export function weigh(weighed: Weighed, event: AgentEvent): Weighed {
  const { messages, toolCalls, characters } = weighed;
  switch (event.type) {
    case "user":
    case "text":
      return { ...weighed, messages: messages + 1, characters: characters + event.text.length };
    case "tool:start": {
      const input = JSON.stringify(event.input ?? "").length;
      return { ...weighed, toolCalls: toolCalls + 1, characters: characters + input };
    }
    case "tool:end":
      return { ...weighed, characters: characters + (event.output ?? "").length };
    case "compaction:end":
      return event.ok ? NOTHING_WEIGHED : weighed;
    default:
      return weighed;
  }
}

/** Undefined before anything was said or done. */
export function estimatedTokens({ messages, toolCalls, characters }: Weighed): number | undefined {
  if (messages + toolCalls === 0) return undefined;
  return Math.round(BEFORE_ANYTHING + TOKENS_A_CHARACTER * characters);
}
