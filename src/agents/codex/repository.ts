import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkoutOf } from "../../git/checkout.ts";
import { type Lookup, type RepositoryFile, readRepositoryFiles } from "../../trust/repository-file.ts";
import { foldersAbove } from "../instruction-files.ts";
import { ownEnvironment } from "../own-environment.ts";
import { codexHome } from "./transcripts.ts";

/** Settings, hooks, rules for commands, skills and servers, whatever a version makes of them. */
const FOLDERS = [".codex", ".agents"];

/**
 * Every file that the program acts on when it is started in a folder. It looks into its folders there and in every folder above,
 * up to the top of the work tree.
 */
export async function codexRepositoryFiles(cwd: string): Promise<RepositoryFile[]> {
  const folder = await realpath(cwd).catch(() => cwd);
  const checkout = await checkoutOf(folder).catch(() => undefined);
  const above = foldersAbove(folder);
  const top = checkout ? above.indexOf(checkout.top) + 1 : 1;
  const own = await usersOwn();
  const lookups: Lookup[] = [];
  for (const at of above.slice(0, top)) {
    for (const name of FOLDERS) {
      const path = join(at, name);
      if (own.has(await realpath(path).catch(() => path))) continue;
      lookups.push({ path, inside: checkout?.top ?? at });
    }
  }
  return readRepositoryFiles(folder, lookups);
}

/** A home that is a repository does not make the user's own settings somebody else's. */
async function usersOwn(): Promise<Set<string>> {
  const folders = [codexHome(ownEnvironment()), ...FOLDERS.map((name) => join(homedir(), name))];
  return new Set(await Promise.all(folders.map((each) => realpath(each).catch(() => each))));
}
