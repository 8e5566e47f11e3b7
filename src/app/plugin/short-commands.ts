import { lstatSync } from "node:fs";
import { mkdir, rm, rmdir, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import {
  commandFile,
  isShortCommand,
  placesOfName,
  SHORT_COMMANDS,
  shortCommandPath,
} from "../../agents/claude/own/short-commands.ts";
import { pluginFolder } from "./folder.ts";

/** A name under which a command of the plugin can be called, or what has that name. */
export interface ShortName {
  name: string;
  /** The plugin's own command. */
  command: string;
  taken?: string;
}

/** Links the commands that have shorter names, each unless something else has its name. A link is of no use without the plugin, and does no harm. */
export async function addShortCommands(env: Record<string, string>, root: string): Promise<ShortName[]> {
  const names: ShortName[] = [];
  for (const command of SHORT_COMMANDS) {
    const path = shortCommandPath(env, command);
    const isOurs = isShortCommand(path, command);
    const taken = placesOfName(env, root, command).find(
      (place) => isThere(place) && !(isOurs && place === path),
    );
    const named = { name: `/${command.name}`, command: `/baton:${command.of}` };
    names.push({ ...named, ...(taken !== undefined && { taken }) });
    if (taken !== undefined) continue;
    if (isOurs) await rm(path);
    await mkdir(dirname(path), { recursive: true });
    await symlink(commandFile(pluginFolder, command), path);
  }
  return names;
}

/** Removes the links, and nothing that is somebody else's. Returns what was removed. */
export async function removeShortCommands(env: Record<string, string>): Promise<string[]> {
  const removed: string[] = [];
  for (const command of SHORT_COMMANDS) {
    const path = shortCommandPath(env, command);
    if (!isShortCommand(path, command)) continue;
    await rm(path);
    removed.push(path);
    // A folder that holds nothing else was made for it.
    await rmdir(dirname(path)).catch(() => {});
  }
  return removed;
}

/** A link that leads nowhere has the name too. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
