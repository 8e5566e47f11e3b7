import { homedir } from "node:os";
import { join } from "node:path";
import { pluginRecords } from "../../agents/claude/own/plugin-records.ts";
import {
  hasOtherStatusLine,
  OF_PROJECT,
  pluginIn,
  userSettings,
  withoutPlugin,
  withPlugin,
} from "../../agents/claude/own/plugin-settings.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { excludeFromGit, noLongerExclude } from "../../workspace/worktrees/exclude.ts";
import { ownProgram } from "../own-program.ts";
import { findProject } from "../project.ts";
import { trustOwnChange } from "../trust/agent-files.ts";
import { UsageError } from "../usage-error.ts";
import { pluginFolder } from "./folder.ts";
import {
  changedSettings,
  changeRecord,
  changeSettings,
  readSettings,
  restoreSettings,
} from "./settings-file.ts";
import { addShortCommands, removeShortCommands, type ShortName } from "./short-commands.ts";

/** For which program, and whether for one project or for all of a person's. */
export interface PluginPlace {
  program: string;
  user?: boolean;
  project?: boolean;
}

interface ChangedSettings {
  /** The file of the program's settings. */
  settings: string;
  changed: boolean;
  /** The file that keeps it from git, or did, where that was changed too. */
  gitFile?: string;
}

export interface InstalledPlugin extends ChangedSettings {
  /** None in a project alone: the user's commands are those of all projects. */
  shortNames: ShortName[];
}

export interface RemovedPlugin extends ChangedSettings {
  /** The files of Claude Code's own that spoke of it. */
  records: string[];
  /** The links to its commands. */
  links: string[];
}

/** Puts Baton's plugin into a settings file of Claude Code. What else is in there stays. */
export async function installPlugin(
  place: PluginPlace,
  { statusLine }: { statusLine: boolean },
): Promise<InstalledPlugin> {
  const path = settingsPath(place);
  const settings = await readSettings(path);
  if (statusLine && hasOtherStatusLine(settings)) {
    throw new UsageError(
      `${path} already has a status line. Remove it first, or show Baton's in yours: ${statusLineCommand()}`,
    );
  }
  const entries = {
    folder: pluginFolder,
    node: process.execPath,
    ...(statusLine && { statusLine: statusLineCommand() }),
  };
  const change = () => changeSettings(path, (before) => withPlugin(before, entries));
  const changed = await (place.project ? trustOwnChange(findProject({}).root, path, change) : change());
  const gitFile = place.project ? await excludeFromGit(findProject({}).root, OF_PROJECT) : undefined;
  const shortNames = place.project ? [] : await addShortCommands(claudeEnvironment(), findProject({}).root);
  return { settings: path, changed, shortNames, ...(gitFile && { gitFile }) };
}

/** Takes it out again, and out of what Claude Code has written down of it, unless it is still installed elsewhere. */
export async function uninstallPlugin(place: PluginPlace): Promise<RemovedPlugin> {
  const path = settingsPath(place);
  const restore = () => restoreSettings(path, withoutPlugin);
  const changed = await (place.project ? trustOwnChange(findProject({}).root, path, restore) : restore());
  const gitFile = place.project ? await noLongerExclude(findProject({}).root, OF_PROJECT) : undefined;
  const links = place.project ? [] : await removeShortCommands(claudeEnvironment());
  const records = (await isInstalledSomewhere()) ? [] : await forgetRecords();
  return { settings: path, changed, records, links, ...(gitFile && { gitFile }) };
}

async function isInstalledSomewhere(): Promise<boolean> {
  for (const path of [settingsPath({ program: "claude-code" }), ...(await changedSettings())]) {
    // What cannot be read may have it.
    const settings = await readSettings(path).catch(() => undefined);
    if (settings === undefined || pluginIn(settings)) return true;
  }
  return false;
}

async function forgetRecords(): Promise<string[]> {
  const changed: string[] = [];
  for (const { path, without } of pluginRecords(claudeEnvironment())) {
    if (await changeRecord(path, without)) changed.push(path);
  }
  return changed;
}

export function settingsPath(
  { program, user, project }: PluginPlace,
  root: string = findProject({}).root,
): string {
  if (program !== "claude-code")
    throw new UsageError(`There is no plugin for "${program}". Name claude-code.`);
  if (user && project) throw new UsageError("Use either --user or --project.");
  return project ? join(root, OF_PROJECT) : userSettings(claudeEnvironment());
}

function claudeEnvironment(): Record<string, string> {
  return { HOME: homedir(), ...ownEnvironment() };
}

function statusLineCommand(): string {
  return `"${process.execPath}" "${ownProgram}" statusline`;
}
