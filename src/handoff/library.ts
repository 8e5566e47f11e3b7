import { link, mkdir, open, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type OpenFolder, openFolderInside, readRegular } from "../files/inside.ts";
import { recordText } from "../files/made-here.ts";
import { sayingWhere } from "../files/no-room.ts";
import { makeOwnFolder } from "../files/own-folder.ts";
import { replaceFile } from "../files/replace.ts";
import { draftOf } from "../files/scratch.ts";
import { codeOf } from "../util/errors.ts";
import { HANDOFF_LIMITS } from "./limits.ts";

const OWN_FOLDER = ".baton";
const PRIVATE_FOLDER = { mode: 0o700 };
const PRIVATE = 0o600;

/** Where documents are kept. `within`: the project whose file names it, and which no link may lead out of. */
export interface HandoffDir {
  dir: string;
  within?: string;
}

/** Opens the folder of documents, and makes it first where it is not there. In its usual place, documents are not for git. */
export async function openHandoffDir({ dir, within }: HandoffDir): Promise<OpenFolder> {
  const parent = dirname(dir);
  if (basename(parent) === OWN_FOLDER) makeOwnFolder(parent, OWN_FOLDER);
  if (within === undefined) await mkdir(dir, { recursive: true, ...PRIVATE_FOLDER });
  const [root, path] = within === undefined ? [dir, "."] : [within, relative(within, dir) || "."];
  const folder = await openFolderInside(root, path, { make: PRIVATE_FOLDER });
  if (!folder) throw new Error(`${dir} went away while it was being opened.`);
  return folder;
}

/** What stands beside a document, by the name that the document has for it. */
export interface StoredAppendix {
  name: string;
  text: string;
}

/**
 * Stores a handoff whole or not at all, never over another one, and returns its path. That it is ours is on record first. What
 * stands beside it is on disk before it, so that no document names what is not there.
 */
export async function storeDocument(
  place: HandoffDir,
  created: Date,
  text: string,
  appendix?: StoredAppendix,
): Promise<string> {
  return sayingWhere(place.dir, async () => {
    await using folder = await openHandoffDir(place);
    await recordText(text);
    if (appendix) await storeAppendix(folder, appendix);
    try {
      return join(place.dir, await storeIn(folder, `handoff-${stamp(created)}`, text, PRIVATE));
    } catch (error) {
      if (appendix) await unlink(join(folder.path, appendix.name));
      throw error;
    }
  });
}

/** The same for a document that stays where somebody wrote it. */
export async function storeBeside(place: HandoffDir, appendix: StoredAppendix): Promise<void> {
  await sayingWhere(place.dir, async () => {
    await using folder = await openHandoffDir(place);
    await storeAppendix(folder, appendix);
  });
}

/** One that is there has the same text, by its name: it was stored before a crash. */
async function storeAppendix(folder: OpenFolder, { name, text }: StoredAppendix): Promise<void> {
  await recordText(text);
  await stored(folder, text, PRIVATE, async (temporary) => {
    await link(temporary, join(folder.path, name)).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
    return name;
  });
}

/** A document that somebody wrote by themselves. It stays where it is. */
export interface Announced {
  path: string;
  /** As it was read. */
  text: string;
  /** How it is reached without any link. */
  inside: { root: string; path: string };
}

class ChangedMeanwhileError extends Error {
  override readonly name = "ChangedMeanwhileError";

  constructor(path: string) {
    super(`${path} was changed while it was being checked. Announce it once more.`);
  }
}

/** Writes a document in the place of the announced one, whole or not at all. */
export async function storeAnnounced({ path, text, inside }: Announced, completed: string): Promise<string> {
  return sayingWhere(dirname(path), async () => {
    await using folder = await openFolderInside(inside.root, dirname(inside.path));
    const file = folder && join(folder.path, basename(inside.path));
    const now =
      file && (await readRegular(file, { mostBytes: HANDOFF_LIMITS.documentBytes, sharedNames: true }));
    if (!folder || file === undefined || now !== text) throw new ChangedMeanwhileError(path);
    await replaceFile(file, completed, (await stat(file)).mode & 0o777);
    await syncFolder(folder.path);
    return path;
  });
}

/** Stores a text in a folder whole or not at all, under this name or the next that is free, which it returns. */
export function storeIn(folder: OpenFolder, name: string, text: string, mode = 0o666): Promise<string> {
  return stored(folder, text, mode, (temporary) => linkUnderFreeName(temporary, folder.path, name));
}

/** Writes a text to the disk, then gives it the name that `named` chooses. */
async function stored(
  { path: dir }: OpenFolder,
  text: string,
  mode: number,
  named: (temporary: string) => Promise<string>,
): Promise<string> {
  const temporary = draftOf(`${dir}/`);
  const file = await open(temporary, "wx", mode);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const name = await named(temporary);
    await syncFolder(dir);
    return name;
  } finally {
    await unlink(temporary);
  }
}

/** `link` refuses a name that is taken, where `rename` would replace the file. */
async function linkUnderFreeName(temporary: string, dir: string, name: string): Promise<string> {
  for (let n = 1; ; n++) {
    const free = n === 1 ? `${name}.md` : `${name}-${n}.md`;
    try {
      await link(temporary, join(dir, free));
      return free;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
}

/** The error of `link` where a file of that name is there already. */
export function isTaken(error: unknown): boolean {
  return codeOf(error) === "EEXIST";
}

/** Without this the name can be lost in a power failure though the content is safe. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Local time as document names have it: `2026-01-21-143045`. */
export function stamp(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}
