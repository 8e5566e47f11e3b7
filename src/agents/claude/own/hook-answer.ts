import type { HookEventName } from "./hook-input.ts";

/** What a hook of a session answers. */
export interface HookAnswer {
  /** A person reads it. */
  toPerson?: string;
  /** The model reads it beside what it does. */
  toAgent?: string;
  /** The agent must not end its turn yet: it reads why, and a person too. */
  notYet?: string;
}

/** The program gives a model no more than this of what a hook says, and puts the rest aside. */
export const MOST_CHARACTERS = 9_900;

/** An answer in the words of the program. */
export function hookOutput(event: HookEventName, { toPerson, toAgent, notYet }: HookAnswer): string {
  return JSON.stringify({
    systemMessage: toPerson,
    ...(notYet !== undefined && { decision: "block", reason: notYet }),
    ...(toAgent !== undefined && {
      hookSpecificOutput: { hookEventName: event, additionalContext: toAgent },
    }),
  });
}
