import type { HookEventName } from "./hook-input.ts";

/** What a hook of a session answers. */
export interface HookAnswer {
  /** A person reads it. */
  toPerson?: string;
  /** The model reads it beside what it does. */
  toAgent?: string;
  /** The agent must not end its turn yet: it reads why, and a person too. */
  notYet?: string;
  /** A person reads it in place of an answer: what they typed reaches no model. */
  instead?: string;
}

/** The program gives a model no more than this of what a hook says, and puts the rest aside. */
export const MOST_CHARACTERS = 9_900;

/** An answer in the words of the program. */
export function hookOutput(event: HookEventName, { toPerson, toAgent, notYet, instead }: HookAnswer): string {
  const reason = notYet ?? instead;
  return JSON.stringify({
    systemMessage: toPerson,
    ...(reason !== undefined && { decision: "block", reason }),
    ...(toAgent !== undefined && {
      hookSpecificOutput: { hookEventName: event, additionalContext: toAgent },
    }),
  });
}
