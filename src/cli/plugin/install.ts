import { homedir } from "node:os";
import { join } from "node:path";
import {
  hasOtherStatusLine,
  OF_PROJECT,
  userSettings,
  withoutPlugin,
  withPlugin,
} from "../../agents/claude/own/plugin-settings.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { ownProgram } from "../../app/own-program.ts";
import { pluginFolder } from "../../app/plugin-folder.ts";
import { findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { excludeFromGit, noLongerExclude } from "../../workspace/worktrees/exclude.ts";
import { EXIT } from "../exit.ts";
import { changeSettings, readSettings, restoreSettings } from "./settings-file.ts";

export interface InstallOptions {
  user?: boolean;
  project?: boolean;
  statusline?: boolean;
  json?: boolean;
}

/** Puts Baton's plugin into a settings file of Claude Code, or takes it out again. What else is in there stays. */
export async function install(program: string, options: InstallOptions): Promise<number> {
  const path = settingsPath(program, options);
  const settings = await readSettings(path);
  if (options.statusline && hasOtherStatusLine(settings)) {
    throw new UsageError(
      `${path} has a status line of its own. Remove it first, or show Baton's in yours: ${statusLineCommand()}`,
    );
  }
  const entries = {
    folder: pluginFolder,
    node: process.execPath,
    ...(options.statusline && { statusLine: statusLineCommand() }),
  };
  const changed = await changeSettings(path, (before) => withPlugin(before, entries));
  const excluded = options.project ? await excludeFromGit(findProject({}).root, OF_PROJECT) : undefined;
  const where = options.project ? "in this project" : "in all your projects";
  say(options, { settings: path, changed, ...(excluded && { excluded }) }, [
    changed
      ? `Installed in ${path}: it applies to sessions that you start from now on, ${where}.`
      : `It is installed in ${path} already.`,
    ...(excluded ? [`Git ignores that file: ${excluded} lists it now.`] : []),
    "In a session: /baton:status, /baton:handoff, /baton:continue. To remove it: baton uninstall claude-code",
  ]);
  return EXIT.completed;
}

export async function uninstall(program: string, options: InstallOptions): Promise<number> {
  const path = settingsPath(program, options);
  const changed = await restoreSettings(path, withoutPlugin);
  const included = options.project ? await noLongerExclude(findProject({}).root, OF_PROJECT) : undefined;
  say(options, { settings: path, changed }, [
    changed ? `Removed from ${path}.` : `It is not installed in ${path}.`,
    ...(included ? [`Removed from ${included} as well.`] : []),
  ]);
  return EXIT.completed;
}

export function settingsPath(
  program: string,
  { user, project }: InstallOptions,
  root = findProject({}).root,
): string {
  if (program !== "claude-code")
    throw new UsageError(`There is no plugin for "${program}". Name claude-code.`);
  if (user && project) throw new UsageError("Choose one of --user and --project.");
  return project ? join(root, OF_PROJECT) : userSettings({ HOME: homedir(), ...ownEnvironment() });
}

function statusLineCommand(): string {
  return `"${process.execPath}" "${ownProgram}" statusline`;
}

function say({ json }: InstallOptions, value: object, lines: string[]): void {
  console.log(json ? JSON.stringify(value) : lines.join("\n"));
}
