import { lstatSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { checkoutOf } from "../git/checkout.ts";
import { gitFolderOf } from "../git/folder.ts";
import { tryGit } from "../git/git.ts";
import { namesNothingLike } from "../git/index-file.ts";
import { codeOf, messageOf } from "../util/errors.ts";
import { UsageError } from "./usage-error.ts";

/** Why the state of a project is not taken for this machine's own. */
export interface Foreign {
  why: "link" | "owner" | "tracked" | "unknown";
  /** What it is about, and why, in words that follow "because". */
  reason: string;
}

/** The state of a project came with it: it is shown at most, and nothing in it is resumed, removed or believed. */
export class ForeignStateError extends UsageError {
  readonly path: string;
  readonly foreign: readonly Foreign[];

  constructor(path: string, foreign: readonly Foreign[]) {
    super(`${summary(path, foreign)}\n${advice(path, foreign)}`);
    this.path = path;
    this.foreign = foreign;
  }
}

/** In one line, for whoever is shown it all the same. */
export function foreignNote(path: string, foreign: readonly Foreign[]): string {
  return `${summary(path, foreign)} Read only.`;
}

function summary(path: string, foreign: readonly Foreign[]): string {
  const reasons = foreign.map(({ reason }) => reason).join(", and ");
  return `${path} is not this machine's own, because ${reasons}. Nothing in it is resumed, removed or believed.`;
}

function advice(path: string, foreign: readonly Foreign[]): string {
  const folder = dirname(path);
  const away = `To start with a store of your own: mv ${folder} ${folder}-theirs`;
  if (foreign.some(({ why }) => why === "tracked")) {
    return `It should not be committed. To remove it from git: git rm -r --cached ${folder}\n${away}`;
  }
  if (foreign.some(({ why }) => why !== "unknown")) return away;
  return `If it is yours (moved, copied, or made by an earlier Baton), make it so with: baton trust\n${away}`;
}

const BESIDE = ["", "-wal", "-shm", "-journal"];

/** Every reason why the store of a project is foreign; none where it is this machine's own, or there is none. */
export async function foreignState(path: string): Promise<Foreign[]> {
  const folder = dirname(path);
  const seen = BESIDE.map((end) => ({ name: `${path}${end}`, found: at(`${path}${end}`) }));
  const all = [{ name: folder, found: at(folder) }, ...seen].filter(({ found }) => found !== undefined);
  const places = lookAtPlaces(all);
  // Beside a store that is yet to be made, SQLite believes nothing that it finds.
  if (places.length > 0 || at(path) === undefined) return places;
  const [tracked, made] = await Promise.all([trackedOf(path), isMade(path)]);
  return [...tracked, ...made];
}

type Seen = { name: string; found: ReturnType<typeof at> };

/** Behind what is no folder there is nothing. */
function at(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function lookAtPlaces(all: readonly Seen[]): Foreign[] {
  const own = process.getuid?.();
  return all.flatMap(({ name, found }, index): Foreign[] => {
    if (found === undefined) return [];
    if (found.isSymbolicLink()) return [{ why: "link", reason: `${name} is a link` }];
    const isKind = index === 0 ? found.isDirectory() : found.isFile();
    if (!isKind) return [{ why: "link", reason: `${name} is not a ${index === 0 ? "folder" : "file"}` }];
    if (own !== undefined && found.uid !== own) {
      return [{ why: "owner", reason: `${name} belongs to another user` }];
    }
    return [];
  });
}

async function isMade(path: string): Promise<Foreign[]> {
  const { isMadeHere } = await import("../store/sqlite/identity.ts");
  try {
    if (isMadeHere(path)) return [];
  } catch (error) {
    return [
      { why: "unknown", reason: `there is no telling whether Baton created it here (${messageOf(error)})` },
    ];
  }
  return [{ why: "unknown", reason: "Baton has no record of creating it here" }];
}

/** Asked of the project's root. Where git cannot say, though the project is in a repository, it counts as tracked. */
async function trackedOf(path: string): Promise<Foreign[]> {
  const root = dirname(dirname(path));
  if (await isCertainlyUntracked(root, basename(dirname(path)))) return [];
  // In any case: on some disks .Baton is the same folder.
  const wanted = BESIDE.map((end) => `:(icase,literal)${relative(root, path)}${end}`);
  const { ok, code, stdout, said } = await tryGit(root, ["ls-files", "-z", "--cached", "--", ...wanted]);
  if (ok) return stdout === "" ? [] : [{ why: "tracked", reason: `git tracks ${basename(path)}` }];
  if (code === null || !isInRepository(root)) return [];
  return [{ why: "tracked", reason: `git cannot say whether it tracks it (${said})` }];
}

/** By a look at the index, without starting git. Where that cannot tell, git is asked. */
async function isCertainlyUntracked(root: string, folder: string): Promise<boolean> {
  try {
    const checkout = await checkoutOf(root);
    const gitFolder = checkout && (await gitFolderOf(checkout.top));
    return (
      gitFolder !== undefined && (await namesNothingLike(join(gitFolder, "index"), folder.toLowerCase()))
    );
  } catch {
    return false;
  }
}

function isInRepository(folder: string): boolean {
  return (
    at(join(folder, ".git")) !== undefined || (dirname(folder) !== folder && isInRepository(dirname(folder)))
  );
}
