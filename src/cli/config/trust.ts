import { configOf, findProject, type Project } from "../../app/project.ts";
import { fromRepository, lines, realPath } from "../../app/trust/check.ts";
import { hashOf, readTrust, writeTrust } from "../../app/trust/record.ts";
import type { WrittenCommand } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { shortPath } from "../../display/path.ts";
import { counted } from "../../util/figures.ts";

export interface TrustOptions {
  config?: string;
  json?: boolean;
  list?: boolean;
  remove?: boolean;
}

export async function trust(options: TrustOptions): Promise<number> {
  if (options.list) return list(options);
  const project = findProject(options);
  return options.remove ? remove(project, options) : add(project, options);
}

async function add(project: Project, options: TrustOptions): Promise<number> {
  const { commands } = await configOf(project);
  const theirs = await fromRepository(commands);
  const record = await readTrust();
  const at = new Date().toISOString();
  for (const file of new Set(theirs.map((each) => each.file))) {
    const hashes = theirs.filter((each) => each.file === file).map(({ command }) => hashOf(command.command));
    record.files[file] = { at, commands: [...new Set(hashes)] };
  }
  if (theirs.length > 0) await writeTrust(record);
  const trusted = theirs.map(({ command }) => command);
  if (options.json) console.log(JSON.stringify({ trusted: trusted.map(forPrograms) }));
  else if (trusted.length === 0)
    console.log("There is nothing to trust: no command here came with a repository.");
  else console.log(`Trusted as it stands now:\n${lines(trusted)}`);
  return 0;
}

async function remove(project: Project, options: TrustOptions): Promise<number> {
  const record = await readTrust();
  const files = await Promise.all((await filesOf(project)).map(realPath));
  const removed = files.filter((file) => file in record.files);
  for (const file of removed) delete record.files[file];
  if (removed.length > 0) await writeTrust(record);
  if (options.json) console.log(JSON.stringify({ removed }));
  else if (removed.length === 0) console.log("Nothing here was trusted.");
  else console.log(removed.map((file) => `${shortPath(file)} is no longer trusted.`).join("\n"));
  return 0;
}

async function list(options: TrustOptions): Promise<number> {
  const { files } = await readTrust();
  const trusted = Object.entries(files).map(([file, { at, commands }]) => ({
    file,
    at,
    commands: commands.length,
  }));
  if (options.json) console.log(JSON.stringify(trusted));
  else if (trusted.length === 0) console.log("You trust no repository yet.");
  for (const { file, at, commands } of options.json ? [] : trusted) {
    console.log(`${shortPath(file)}  ${counted(commands, "command")}, since ${at.slice(0, 10)}`);
  }
  return 0;
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

function forPrograms({ key, command, place }: WrittenCommand) {
  return { file: place.file, line: place.line, key, command: command.join(" ") };
}
