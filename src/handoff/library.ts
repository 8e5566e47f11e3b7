import { link, mkdir, open, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeOwnFolder } from "../files/own-folder.ts";
import { codeOf } from "../util/errors.ts";

const OWN_FOLDER = ".baton";

/** In its usual place, documents are not for git. */
export async function makeHandoffDir(dir: string): Promise<void> {
  const parent = dirname(dir);
  if (basename(parent) === OWN_FOLDER) makeOwnFolder(parent, OWN_FOLDER);
  await mkdir(dir, { recursive: true });
}

/** Stores a document whole or not at all, never over another one, and returns its path. */
export async function storeDocument(
  dir: string,
  created: Date,
  text: string,
  name = `handoff-${stamp(created)}`,
): Promise<string> {
  await makeHandoffDir(dir);
  const temporary = join(
    dir,
    `.writing-${process.pid}-${created.getTime()}-${Math.random().toString(36).slice(2)}`,
  );
  const file = await open(temporary, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    const path = await linkUnderFreeName(temporary, dir, name);
    await syncFolder(dir);
    return path;
  } finally {
    await unlink(temporary);
  }
}

/** `link` refuses a name that is taken, where `rename` would replace the file. */
async function linkUnderFreeName(temporary: string, dir: string, name: string): Promise<string> {
  for (let n = 1; ; n++) {
    const path = join(dir, n === 1 ? `${name}.md` : `${name}-${n}.md`);
    try {
      await link(temporary, path);
      return path;
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
