import { copyFile, readFile, stat, utimes } from "node:fs/promises";
import { ifMissing } from "./folder.ts";

const HEADER = 12;
const CHECKSUM = 20;
/** Of an entry, without its name: times and sizes, then the name of the object, then the flags. */
const ENTRY = 62;
const MODE_AT = 24;
const SUBMODULE = 0o160000;
/** "Assume that it is unchanged", and "there are more flags", such as not to check it out. */
const SPECIAL = 0x8000 | 0x4000;
const MORE_FLAGS = 0x4000;
const MOST_SEARCHED = 32 * 1024 * 1024;
const NAME_LENGTH = 0x0fff;

/**
 * Whether an index of git holds nothing but files that git looks at: no submodules, no flags. False also where that
 * cannot be told for certain; then ask git. Asking about a large tree takes git much longer than looking here.
 */
export async function hasOnlyPlainFiles(path: string): Promise<boolean> {
  const index = await readFile(path).catch(ifMissing);
  return (
    index !== undefined && isWhole(index, (mode, flags) => mode !== SUBMODULE && (flags & SPECIAL) === 0)
  );
}

/**
 * Whether no name in an index has this word in it, in small letters or capitals. False also where that cannot be told for
 * certain; then ask git. To start git takes longer than to look here.
 */
export async function namesNothingLike(path: string, word: string): Promise<boolean> {
  const index = await readFile(path).catch(ifMissing);
  if (!index) return true;
  if (index.length > MOST_SEARCHED || !isWhole(index, (_mode, flags) => (flags & MORE_FLAGS) === 0))
    return false;
  return !index.toString("latin1").toLowerCase().includes(word);
}

/** Whether these are all entries that there are, each with its name in full, and each one that is wanted. */
function isWhole(index: Buffer, isWanted: (mode: number, flags: number) => boolean): boolean {
  if (index.length < HEADER + CHECKSUM || index.toString("latin1", 0, 4) !== "DIRC") return false;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return false;
  const end = index.length - CHECKSUM;
  let at = HEADER;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + ENTRY > end) return false;
    const flags = index.readUInt16BE(at + ENTRY - 2);
    const length = flags & NAME_LENGTH;
    if (!isWanted(index.readUInt32BE(at + MODE_AT), flags)) return false;
    if (length === NAME_LENGTH || index[at + ENTRY + length] !== 0) return false;
    // One to eight zeros follow the name, so that the next entry begins at a multiple of eight.
    at += (ENTRY + length + 8) & ~7;
  }
  return endsWithExtensions(index, at, end);
}

/** Optional ones have capital letters. Another says that the entries are not all there is. */
function endsWithExtensions(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end && /^[A-Z]{4}$/.test(index.toString("latin1", at, at + 4))) {
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}

/**
 * With the stat data of the real index only what has changed is read again. Git also goes by the time of the index
 * itself: a file as old as that may have changed since, in the same second and to the same size.
 */
export async function copyIndex(index: string, copy: string, mode = 0): Promise<void> {
  const { mtimeMs } = await stat(index);
  await copyFile(index, copy, mode);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(copy, seconds, seconds);
}
