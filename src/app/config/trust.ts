import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AgentConfig, Config, WrittenCommand } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { findConfig } from "../../config/find.ts";
import { shortPath } from "../../display/path.ts";
import { printable } from "../../display/style.ts";
import { tryGit } from "../../git/git.ts";
import { configOf, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { hashOf, readTrust, writeTrust } from "./trust-record.ts";

/** Refuses to start an agent whose configuration came with a repository and has commands that nobody has looked at. */
export async function refuseUntrusted(config: Config, agent: AgentConfig): Promise<void> {
  const untrusted = await untrustedIn(config.commands.filter((command) => command.agent === agent.name));
  if (untrusted.length === 0) return;
  const found = config.path === findConfig(process.cwd());
  const command = found ? "baton trust" : `baton trust --config ${shortPath(config.path ?? "")}`;
  throw new UsageError(
    "The repository's own configuration has commands, and they run only when you trust it:\n" +
      `${lines(untrusted)}\nLook at them, and at what they start. Then: ${command}`,
  );
}

/** What came with a repository and is not trusted as it stands. */
export async function untrustedIn(commands: readonly WrittenCommand[]): Promise<WrittenCommand[]> {
  const theirs = await fromRepository(commands);
  if (theirs.length === 0) return [];
  const { files } = await readTrust();
  return theirs
    .filter(({ file, command }) => !files[file]?.commands.includes(hashOf(command.command)))
    .map(({ command }) => command);
}

/** From now on the commands may run that came with a project's repository, as they stand. Returns them. */
export async function trustCommandsOf(project: Project): Promise<WrittenCommand[]> {
  const { commands } = await configOf(project);
  const theirs = await fromRepository(commands);
  const record = await readTrust();
  const at = new Date().toISOString();
  for (const file of new Set(theirs.map((each) => each.file))) {
    const hashes = theirs.filter((each) => each.file === file).map(({ command }) => hashOf(command.command));
    record.files[file] = { at, commands: [...new Set(hashes)] };
  }
  if (theirs.length > 0) await writeTrust(record);
  return theirs.map(({ command }) => command);
}

/** Takes that back, and returns the files that were trusted. */
export async function trustNoMore(project: Project): Promise<string[]> {
  const record = await readTrust();
  const files = await Promise.all((await filesOf(project)).map(realPath));
  const removed = files.filter((file) => file in record.files);
  for (const file of removed) delete record.files[file];
  if (removed.length > 0) await writeTrust(record);
  return removed;
}

export interface TrustedFile {
  file: string;
  at: string;
  /** How many. */
  commands: number;
}

/** What the user trusts, of all projects. */
export async function trustedFiles(): Promise<TrustedFile[]> {
  const { files } = await readTrust();
  return Object.entries(files).map(([file, { at, commands }]) => ({ file, at, commands: commands.length }));
}

/** Also where the configuration is wrong by now: trust must be possible to take back. */
async function filesOf(project: Project): Promise<string[]> {
  const { loadWritten } = await import("../../config/load.ts");
  try {
    return loadWritten(project).files;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return project.configPath === undefined ? [] : [project.configPath];
  }
}

interface Theirs {
  file: string;
  command: WrittenCommand;
}

/** The commands in files that a repository keeps. All others are the user's own. */
async function fromRepository(commands: readonly WrittenCommand[]): Promise<Theirs[]> {
  const files = [...new Set(commands.map(({ place }) => place.file))];
  const kept = await Promise.all(files.map(isKeptByRepository));
  const theirs = new Set(files.filter((_file, index) => kept[index]));
  return Promise.all(
    commands
      .filter(({ place }) => theirs.has(place.file))
      .map(async (command) => ({ file: await realPath(command.place.file), command })),
  );
}

/** A link counts by itself and by what it leads to. In doubt the file is the repository's. */
async function isKeptByRepository(file: string): Promise<boolean> {
  const paths = new Set([file, await realPath(file)]);
  const answers = await Promise.all([...paths].map(isTracked));
  return answers.includes(true);
}

const NOT_TRACKED = 1;

async function isTracked(file: string): Promise<boolean> {
  const folder = dirname(file);
  const args = ["--literal-pathspecs", "ls-files", "--error-unmatch", "--", basename(file)];
  const { ok, code } = await tryGit(folder, args);
  return ok || (code !== NOT_TRACKED && isInRepository(folder));
}

function isInRepository(folder: string): boolean {
  return existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isInRepository(dirname(folder)));
}

function realPath(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

/** In full: what is cut off could be what matters. */
export function lines(commands: readonly WrittenCommand[]): string {
  const seen = new Set(
    commands.map(({ key, command, place }) => {
      const text = printable(command.join(" ").trimEnd());
      const shown = text.includes("\n") ? `\n${text.replace(/^/gm, "      ")}` : `  ${text}`;
      return `  ${shortPath(place.file)}:${place.line}  ${key}${shown}`;
    }),
  );
  return [...seen].join("\n");
}
