import { readlinkSync } from "node:fs";
import { join, sep } from "node:path";
import { claudeHome } from "../transcripts.ts";

/** Commands of the plugin that also go by a shorter name: a link among the user's own commands. */
export const SHORT_COMMANDS = [
  { name: "handoff", of: "handoff" },
  { name: "continue-handoff", of: "continue" },
] as const;

type ShortCommand = (typeof SHORT_COMMANDS)[number];

/** The file of the plugin that a link leads to. */
export function commandFile(pluginFolder: string, { of }: ShortCommand): string {
  return join(pluginFolder, "commands", `${of}.md`);
}

export function shortCommandPath(env: Record<string, string>, { name }: ShortCommand): string {
  return join(claudeHome(env), "commands", `${name}.md`);
}

/** Where a command or a skill would be that has the name already: the user's, or that of a project. */
export function placesOfName(env: Record<string, string>, root: string, command: ShortCommand): string[] {
  const { name } = command;
  const ofProject = join(root, ".claude");
  return [
    shortCommandPath(env, command),
    join(claudeHome(env), "skills", name),
    join(ofProject, "commands", `${name}.md`),
    join(ofProject, "skills", name),
  ];
}

/** Whether a file is a link of Baton's: to a plugin of some Baton, wherever it is or was. */
export function isShortCommand(path: string, { of }: ShortCommand): boolean {
  try {
    return readlinkSync(path).endsWith(join(sep, "plugin", "commands", `${of}.md`));
  } catch {
    return false;
  }
}

/** What a person typed, with the name that the plugin's command has: `/handoff now` is `/baton:handoff now` where it is Baton's. */
export function withFullName(prompt: string, env: Record<string, string>): string {
  const command = SHORT_COMMANDS.find(({ name }) => new RegExp(`^/${name}(?:\\s|$)`).test(prompt));
  if (!command || !isShortCommand(shortCommandPath(env, command), command)) return prompt;
  return `/baton:${command.of}${prompt.slice(command.name.length + 1)}`;
}
