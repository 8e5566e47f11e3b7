import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkoutOf } from "../../git/checkout.ts";
import { tryGit, zeroSeparated } from "../../git/git.ts";
import { type Lookup, type RepositoryFile, readRepositoryFiles } from "../../trust/repository-file.ts";
import { foldersAbove } from "../instruction-files.ts";
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

/** In a folder further down it reads no settings. */
const NOT_ACTING_BELOW: ReadonlySet<string> = new Set([
  ...NOT_ACTING,
  "settings.json",
  "settings.local.json",
  "hooks",
]);

/**
 * Every file that the program acts on when it is started in a folder. It looks into `.claude` there and in every folder above
 * up to the top of the work tree, or up to the root where there is none; into that of the repository's main work tree;
 * for `.mcp.json` in every folder above, whosesoever that is; and for skills in the folders below.
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
  const below = checkout && (await foldersBelow(folder));
  for (const path of below?.found ?? []) {
    lookups.push({ path, inside: checkout?.top ?? folder, except: NOT_ACTING_BELOW });
  }
  const files = await readRepositoryFiles(folder, lookups);
  return below?.problem === undefined
    ? files
    : [
        ...files,
        { path: ".", file: folder, kind: "unfit", why: `cannot be looked through: ${below.problem}` },
      ];
}

/** Once it reads a file there, the program takes in the skills of a folder further down. It leaves out what git ignores. */
async function foldersBelow(folder: string): Promise<{ found: string[]; problem?: string }> {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const args = [...listed, "--", `:(glob)**/${FOLDER}`, `:(glob)**/${FOLDER}/**`];
  const { ok, code, stdout, said } = await tryGit(folder, ["--no-optional-locks", ...args]);
  if (!ok) return code === null ? { found: [] } : { found: [], problem: said };
  const found = zeroSeparated(stdout).flatMap((path) => {
    const [, above] = /^(.+?)\/\.claude(?:\/|$)/.exec(path) ?? [];
    return above === undefined ? [] : [join(folder, above, FOLDER)];
  });
  return { found: [...new Set(found)] };
}

/**
 * A home that is a repository, or below one, does not make the user's own settings somebody else's. By the environment of
 * this process alone: that of an agent may come with a repository.
 */
async function usersOwn(): Promise<Set<string>> {
  const folders = [claudeHome(ownEnvironment()), join(homedir(), FOLDER)];
  return new Set(await Promise.all(folders.map((each) => realpath(each).catch(() => each))));
}
