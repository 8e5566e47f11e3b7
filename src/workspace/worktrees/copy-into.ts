import { constants, type Dirent, type Stats } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { codeOf } from "../../util/errors.ts";

interface Way {
  from: string;
  to: string;
  /** Folders that are not taken, nor anything in them. */
  spared: string[];
}

type Kind = Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">;

/** Copies one path of a tree into the same place of another, and overwrites nothing. False when nothing was copied. */
export async function copyInto(way: Way, path: string): Promise<boolean> {
  const source = join(way.from, path).replace(/\/$/, "");
  const target = join(way.to, path).replace(/\/$/, "");
  const kind = await kindOf(source);
  if (!kind || isSpared(source, way.spared)) return false;
  await mkdir(dirname(target), { recursive: true });
  return copy(source, target, kind, way.spared);
}

/** False where a symlink could lead out of the tree, or a file is in the way. The path of a folder ends in a slash. */
export async function staysWithin(tree: string, path: string): Promise<boolean> {
  for (let folder = dirname(`${path}.`); folder !== "."; folder = dirname(folder)) {
    const kind = await kindOf(join(tree, folder));
    if (kind && !kind.isDirectory()) return false;
  }
  return true;
}

async function kindOf(path: string): Promise<Kind | undefined> {
  return lstat(path).catch(() => undefined);
}

/** Symlinks stay what they are; sockets and pipes are not copied. */
async function copy(source: string, target: string, kind: Kind, spared: string[]): Promise<boolean> {
  if (kind.isFile()) {
    return done(copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE));
  }
  if (kind.isSymbolicLink()) return done(readlink(source).then((leadsTo) => symlink(leadsTo, target)));
  if (!kind.isDirectory() || isSpared(source, spared)) return false;
  return copyFolder(source, target, spared);
}

async function copyFolder(source: string, target: string, spared: string[]): Promise<boolean> {
  const found = await unlessGone(lstat(source));
  const inside = await unlessGone(readdir(source, { withFileTypes: true }));
  if (!found || !inside) return false;
  // A worktree or submodule: git in a copy would work on the index and branch of the original.
  if (inside.some((entry) => entry.name === ".git" && !entry.isDirectory())) return false;
  const isNew = await done(mkdir(target, { mode: 0o700 }));
  if (!isNew && !(await kindOf(target))?.isDirectory()) return false;
  const [folders, others] = [inside.filter(isFolder), inside.filter((entry) => !isFolder(entry))];
  const copyEntry = (entry: Dirent) =>
    copy(join(source, entry.name), join(target, entry.name), entry, spared);
  const copied = await Promise.all(others.map(copyEntry));
  // One after the other: all at once would hold the whole tree in memory.
  for (const folder of folders) copied.push(await copyEntry(folder));
  if (isNew) await chmod(target, found.mode);
  return isNew || copied.includes(true);
}

const isFolder = (kind: Kind) => kind.isDirectory();

/** False where something is in its place already, or the original has gone. */
async function done(effect: Promise<unknown>): Promise<boolean> {
  const was = effect.then(() => true);
  return (await unlessGone(was)) ?? false;
}

/** The checkout is in use: files come and go. */
async function unlessGone<T>(effect: Promise<T>): Promise<T | undefined> {
  try {
    return await effect;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" || code === "ENOENT") return undefined;
    throw error;
  }
}

function isSpared(path: string, spared: string[]): boolean {
  return spared.some((folder) => path === folder || path.startsWith(folder + sep));
}
