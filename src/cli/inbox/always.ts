import { type Always, alwaysFor, alwaysForDenied } from "../../app/inbox/always.ts";
import type { Project } from "../../app/project.ts";
import { shortPath } from "../../display/path.ts";
import { print, printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { saysYes } from "../config/agree.ts";

/**
 * Shows what would make an answer hold from now on, and writes it into the configuration if the person at this terminal agrees. True
 * where it does.
 */
export async function keepFromNowOn(
  project: Project,
  id: string,
  key: "allowed_tools" | "denied_tools",
): Promise<boolean> {
  return added(await alwaysFor(project, id, key), key);
}

/** The same for what an agent was denied again and again. Undefined where the id is of none. */
export async function allowDenied(project: Project, id: string): Promise<boolean | undefined> {
  const always = await alwaysForDenied(project, id);
  return always && added(always, "allowed_tools");
}

async function added({ agent, rule, file, at, add }: Always, key: string): Promise<boolean> {
  if (!at || !add) {
    printWords(`${shortPath(file)} cannot be changed here. Add to ${key} of ${agent} yourself: ${rule}`);
    return false;
  }
  print(`${shortPath(file)}:${at.number}\n  ${oneLine(at.line)}`);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    printWords("Nothing was added: that takes a terminal, where you are asked.");
    return false;
  }
  if (!(await saysYes("Change it like this? [y/N] "))) {
    printWords("Nothing was added.");
    return false;
  }
  await add();
  return true;
}
