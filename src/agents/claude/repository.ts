import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { checkoutOf } from "../../git/checkout.ts";
import { type Lookup, type RepositoryFile, readRepositoryFiles } from "../../trust/repository-file.ts";
import { ownEnvironment } from "../own-environment.ts";
import { claudeHome } from "./transcripts.ts";

const FOLDER = ".claude";
const SERVERS = ".mcp.json";

/**
 * What the program only reads as words, keeps for itself, or never looks at. All else in its folder counts, also what
 * no version of it knows yet: what the next one makes of it is not known either.
 */
const NOT_ACTING: ReadonlySet<string> = new Set([
  "CLAUDE.md",
  "rules",
  "worktrees",
  "plans",
  "agent-memory",
  "agent-memory-local",
  "scheduled_tasks.lock",
]);

/**
 * Every file that the program acts on when it is started in a folder. It looks into `.claude` there and in every folder above
 * up to the top of the work tree, or up to the root where there is none; into that of the repository's main work tree;
 * and for `.mcp.json` in every folder above, whosesoever that is.
 */
export async function claudeRepositoryFiles(cwd: string): Promise<RepositoryFile[]> {
  const folder = await realpath(cwd).catch(() => cwd);
  const checkout = await checkoutOf(folder).catch(() => undefined);
  const above = foldersAbove(folder);
  const top = checkout ? above.indexOf(checkout.top) + 1 : above.length;
  const searched = [
    ...above.slice(0, top),
    ...(checkout && checkout.main !== checkout.top ? [checkout.main] : []),
  ];
  const own = await usersOwn();
  const lookups: Lookup[] = [];
  for (const at of searched) {
    const path = join(at, FOLDER);
    if (own.has(await realpath(path).catch(() => path))) continue;
    lookups.push({ path, inside: at === checkout?.main ? at : (checkout?.top ?? at), except: NOT_ACTING });
  }
  for (const [index, at] of above.entries()) {
    lookups.push({ path: join(at, SERVERS), inside: index < top ? (checkout?.top ?? at) : at });
  }
  return readRepositoryFiles(folder, lookups);
}

/** The folder itself first. */
export function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/**
 * A home that is a repository, or below one, does not make the user's own settings somebody else's. By the environment of
 * this process alone: that of an agent may come with a repository.
 */
async function usersOwn(): Promise<Set<string>> {
  const folders = [claudeHome(ownEnvironment()), join(homedir(), FOLDER)];
  return new Set(await Promise.all(folders.map((each) => realpath(each).catch(() => each))));
}
