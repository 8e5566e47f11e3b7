import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkoutOf } from "../../git/checkout.ts";
import { type Lookup, type RepositoryFile, readRepositoryFiles } from "../../trust/repository-file.ts";
import { foldersAbove, instructionsIn } from "../instruction-files.ts";
import type { Instruction } from "../instructions.ts";
import { ownEnvironment } from "../own-environment.ts";
import { piHome } from "./transcript.ts";

const FOLDER = ".pi";
const SKILLS = join(".agents", "skills");

/**
 * Every file that pi acts on when it is started in a folder: its own folder there, with settings, extensions, skills, prompts
 * and packages, and skills in every folder above, up to the top of the repository, or up to the root where there is none.
 */
export async function piRepositoryFiles(cwd: string): Promise<RepositoryFile[]> {
  const folder = await realpath(cwd).catch(() => cwd);
  const checkout = await checkoutOf(folder).catch(() => undefined);
  const above = foldersAbove(folder);
  const searched = checkout ? above.slice(0, above.indexOf(checkout.top) + 1) : above;
  const own = await usersOwn();
  const lookups: Lookup[] = [
    { path: join(folder, FOLDER), inside: checkout?.top ?? folder, except: own.except(join(folder, FOLDER)) },
  ];
  for (const at of searched) {
    const path = join(at, SKILLS);
    if (!own.skills.has(await realpath(path).catch(() => path))) {
      lookups.push({ path, inside: checkout?.top ?? at });
    }
  }
  return readRepositoryFiles(folder, lookups);
}

/** In a home folder, what pi keeps for its user is the user's own. By the environment of this process alone. */
async function usersOwn(): Promise<{ skills: Set<string>; except(folder: string): Set<string> }> {
  const home = piHome(ownEnvironment());
  const skills = join(homedir(), SKILLS);
  return {
    skills: new Set([skills, await realpath(skills).catch(() => skills)]),
    except: (folder) => new Set(home === join(folder, "agent") ? ["agent"] : []),
  };
}

/** The first of them in each folder is what pi reads there. */
const INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];

export function piInstructions(cwd: string): Promise<Instruction[]> {
  return instructionsIn(cwd, async () => INSTRUCTIONS);
}
