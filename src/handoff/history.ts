import { link, lstat, mkdir, readdir, unlink, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readBoundedText } from "../files/bounded-file.ts";
import { forgetText, isOwnText } from "../files/made-here.ts";
import { DAY_MS } from "../util/time.ts";
import type { Account } from "./account.ts";
import { isAppendixName } from "./appendix/appendix.ts";
import { type DocumentHead, parseDocument } from "./document.ts";
import { isTaken, syncFolder } from "./library.ts";
import { HANDOFF_LIMITS } from "./limits.ts";
import { beginningOfDocument, documentTextOrNone } from "./read-document.ts";

export const ARCHIVE = "archive";
const OUR_NAME = /^handoff-\d{4}-\d{2}-\d{2}-\d{6}(?:-\d+)?\.md$/;

/** Where a document is that may have been archived since its path was written down. */
export async function findDocument(path: string): Promise<string> {
  const archived = join(dirname(path), ARCHIVE, basename(path));
  return !(await isFile(path)) && (await isFile(archived)) ? archived : path;
}

/**
 * Moves a document to the archive of its folder, and says where it is now. `record` hears of the place before the document
 * is there, so that one of the two always holds it.
 */
export async function archiveDocument(
  from: string,
  record: (place: string) => Promise<void> = async () => {},
): Promise<string> {
  for (;;) {
    const place = await placeInArchive(from);
    await record(place);
    if (await moveDocument(from, place)) return place;
  }
}

/** A name in the archive that nothing has yet. */
async function placeInArchive(path: string): Promise<string> {
  const folder = join(dirname(path), ARCHIVE);
  const name = basename(path, ".md");
  for (let n = 1; ; n++) {
    const place = join(folder, n === 1 ? `${name}.md` : `${name}-${n}.md`);
    if (!(await isThere(place))) return place;
  }
}

/**
 * Moves a document to the archive, never over another file. False when the place is taken; the document then stays where it
 * is. From now on its time is that of its archiving: the days for which it is kept count from there.
 */
export async function moveDocument(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await moveAppendix(from, dirname(to));
  const now = new Date();
  // Where the file is somebody else's, what its head says must do.
  await utimes(from, now, now).catch(() => {});
  try {
    await link(from, to);
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (!(await isSameFile(from, to))) return false;
  }
  await syncFolder(dirname(to));
  await unlink(from);
  return true;
}

/** Where what stands beside a document is. Undefined where nothing does, or where it is gone. */
export async function findAppendix(
  documentPath: string,
  { appendix: name }: Pick<DocumentHead, "appendix">,
): Promise<string | undefined> {
  if (name === undefined || !isAppendixName(name)) return undefined;
  const folder = dirname(documentPath);
  // After a move that was cut off, the two are not in one folder.
  const others = basename(folder) === ARCHIVE ? [dirname(folder)] : [join(folder, ARCHIVE)];
  for (const place of [folder, ...others].map((each) => join(each, name)))
    if (await isFile(place)) return place;
  return undefined;
}

/** It goes first, and is found in either place. By its name, one that is there already is the same. */
async function moveAppendix(documentPath: string, folder: string): Promise<void> {
  const { appendix } = await headOf(documentPath);
  const from = appendix === undefined ? undefined : await findAppendix(documentPath, { appendix });
  if (from === undefined || dirname(from) === folder) return;
  await link(from, join(folder, basename(from))).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
  await syncFolder(folder);
  await unlink(from);
}

/** What the document says of itself; empty where there is none, or none that Baton wrote. */
export async function headOf(path: string): Promise<Partial<DocumentHead>> {
  return parseDocument((await isFile(path)) ? beginningOfDocument(path) : "").head;
}

/** What the handoff before this one said, for the case that the agent can say nothing any more. */
export async function earlierAccount(path: string | null): Promise<Account | undefined> {
  if (path === null) return undefined;
  const found = await findDocument(path);
  return parseDocument((await isFile(found)) ? documentTextOrNone(found) : "").account;
}

/**
 * Deletes the documents of a folder that were archived more than this many days ago: those that this machine has a record of
 * having written, as they were, and nothing else. In doubt about their time they stay.
 */
export async function deleteExpired(dir: string, days: number, now: Date): Promise<string[]> {
  const folder = join(dir, ARCHIVE);
  const names = await readdir(folder).catch(() => []);
  const deleted: string[] = [];
  for (const name of names.filter((name) => OUR_NAME.test(name)).sort()) {
    const path = join(folder, name);
    const text = (await isFile(path)) ? documentTextOrNone(path) : "";
    if (!isOwnText(text)) continue;
    const { job, session, created } = parseDocument(text).head;
    const archivedAt = Math.max(Date.parse(created ?? ""), (await lstat(path)).mtimeMs);
    const age = now.getTime() - archivedAt;
    if (job === undefined || !session || !(age > days * DAY_MS)) continue;
    const beside = await findAppendix(path, parseDocument(text).head);
    if (beside !== undefined) await deleteAppendix(beside);
    await unlink(path);
    forgetText(text);
    deleted.push(path);
  }
  await deleteStrays(dir, days, now);
  return deleted;
}

/** What a crash left without a document: nobody can find it. In doubt it stays. */
async function deleteStrays(dir: string, days: number, now: Date): Promise<void> {
  const folders = [dir, join(dir, ARCHIVE)];
  const listed = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  const paths = folders.flatMap((folder, index) => (listed[index] ?? []).map((name) => join(folder, name)));
  const old: string[] = [];
  for (const path of paths.filter((each) => isAppendixName(basename(each)))) {
    if (now.getTime() - (await lstat(path)).mtimeMs > days * DAY_MS) old.push(path);
  }
  if (old.length === 0) return;
  const heads = await Promise.all(paths.filter((path) => path.endsWith(".md")).map(headOf));
  const named = new Set(heads.map(({ appendix }) => appendix));
  for (const path of old.filter((each) => !named.has(basename(each)))) await deleteAppendix(path);
}

async function deleteAppendix(path: string): Promise<void> {
  const text = (await isFile(path)) ? ownAppendixText(path) : undefined;
  if (text === undefined) return;
  await unlink(path);
  forgetText(text);
}

function ownAppendixText(path: string): string | undefined {
  try {
    const text = readBoundedText(path, HANDOFF_LIMITS.appendixBytes);
    return isOwnText(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

export async function isFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ?? false;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** After a move that was cut off, a document has two names. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a), lstat(b)]);
  return one.ino === other.ino && one.dev === other.dev;
}
