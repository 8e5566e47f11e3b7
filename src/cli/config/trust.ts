import { adoptState } from "../../app/adopt-state.ts";
import { lines, trustCommandsOf, trustedFiles, trustNoMore } from "../../app/config/trust.ts";
import { findProject, type Project } from "../../app/project.ts";
import type { WrittenCommand } from "../../config/config.ts";
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
  const trusted = await trustCommandsOf(project);
  const { store } = await adoptState(project);
  if (store && !options.json) console.log(`The jobs in ${shortPath(store)} are yours from now on.`);
  if (options.json)
    console.log(JSON.stringify({ trusted: trusted.map(forPrograms), ...(store && { store }) }));
  else if (trusted.length === 0 && store === undefined)
    console.log("There is nothing to trust: no command here came with a repository.");
  else if (trusted.length > 0) console.log(`Trusted as it stands now:\n${lines(trusted)}`);
  return 0;
}

async function remove(project: Project, options: TrustOptions): Promise<number> {
  const removed = await trustNoMore(project);
  if (options.json) console.log(JSON.stringify({ removed }));
  else if (removed.length === 0) console.log("Nothing here was trusted.");
  else console.log(removed.map((file) => `${shortPath(file)} is no longer trusted.`).join("\n"));
  return 0;
}

async function list(options: TrustOptions): Promise<number> {
  const trusted = await trustedFiles();
  if (options.json) console.log(JSON.stringify(trusted));
  else if (trusted.length === 0) console.log("You trust no repository yet.");
  for (const { file, at, commands } of options.json ? [] : trusted) {
    console.log(`${shortPath(file)}  ${counted(commands, "command")}, since ${at.slice(0, 10)}`);
  }
  return 0;
}

function forPrograms({ key, command, place }: WrittenCommand) {
  return { file: place.file, line: place.line, key, command: command.join(" ") };
}
