import { z } from "zod";
import { troubleIn } from "../error.ts";
import type { Rest } from "./rest.ts";

/** What can be asked with a slash. The same is understood as text. */
const COMMANDS = [
  { name: "help", description: "What I can be asked" },
  { name: "status", description: "What I am doing, and how full my window is" },
  { name: "stop", description: "End what I am doing now" },
  { name: "reset", description: "End this conversation; the next message begins another" },
  {
    name: "handoff",
    description: "Continue in a fresh session, at the next step",
    options: [{ type: 3, name: "focus", description: "What matters most from here on" }],
  },
  { name: "sessions", description: "The sessions of this conversation" },
  { name: "cost", description: "What it came to" },
];

const SKILL = {
  name: "skill",
  description: "Use one of my skills",
  options: [
    { type: 3, name: "name", description: "Which one", required: true },
    { type: 3, name: "words", description: "What for" },
  ],
};

const Anything = z.unknown();

interface Wanted {
  application: string;
  /** `global`, or guilds. */
  commandsIn: readonly string[];
  hasSkills: boolean;
  tell: (news: string) => void;
}

/** All at once, in place of those that were there. */
export async function registerCommands(
  rest: Rest,
  { application, commandsIn, hasSkills, tell }: Wanted,
  signal: AbortSignal,
): Promise<void> {
  const commands = [...COMMANDS, ...(hasSkills ? [SKILL] : [])].map((command) => ({ type: 1, ...command }));
  for (const where of commandsIn) {
    const scope = where === "global" ? "" : `/guilds/${where}`;
    try {
      const path = `/applications/${application}${scope}/commands`;
      await rest.call("PUT", path, Anything, { signal, body: () => commands });
    } catch (error) {
      if (signal.aborted) return;
      tell(
        `Slash commands could not be registered: ${troubleIn(error)}. Invite the bot with the scope applications.commands`,
      );
    }
  }
}

export function isAnswered(name: string): boolean {
  return COMMANDS.some((command) => command.name === name);
}
