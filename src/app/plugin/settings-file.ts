import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readIfThere } from "../../files/read-if-there.ts";
import { replaceFile } from "../../files/replace.ts";
import { stateFolder } from "../../files/state-folder.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { UsageError } from "../usage-error.ts";

type Fields = Record<string, unknown>;

const MOST_BYTES = 4 * 1024 * 1024;

/** What a file was before Baton first changed it, and as Baton left it. Null: it was not there. */
interface Kept {
  path: string;
  before: string | null;
  after: string;
}

/** The settings in a file of Claude Code; none where it is not there. */
export async function readSettings(path: string): Promise<Fields> {
  return parsed(path, (await readIfThere(path, MOST_BYTES)) ?? "{}");
}

/** Changes a settings file, in one step, and keeps what it was. Returns false where there was nothing to change. */
export async function changeSettings(path: string, change: (settings: Fields) => Fields): Promise<boolean> {
  const text = (await readIfThere(path, MOST_BYTES)) ?? null;
  const settings = parsed(path, text ?? "{}");
  const changed = change(settings);
  if (isDeepStrictEqual(changed, settings)) return false;
  const after = `${JSON.stringify(changed, null, indentOf(text ?? ""))}\n`;
  const kept = await keptOf(path);
  await keep({ path, before: kept?.after === text ? kept.before : text, after });
  await replace(path, after);
  return true;
}

/**
 * Brings a file back to what it was, byte for byte where nobody has changed it since. `takeOut` takes out of settings what
 * Baton puts in, and is told what was there before.
 */
export async function restoreSettings(
  path: string,
  takeOut: (settings: Fields, before: Fields) => Fields,
): Promise<boolean> {
  const text = (await readIfThere(path, MOST_BYTES)) ?? null;
  const changed = text !== null && (await restore(path, text, takeOut));
  await forget(path);
  return changed;
}

/** The settings files that Baton has changed and not brought back yet. */
export async function changedSettings(): Promise<string[]> {
  const folder = installedFolder();
  const names = await readdir(folder).catch(() => []);
  const kept = await Promise.all(names.map((name) => readKept(join(folder, name))));
  return kept.flatMap((one) => one?.path ?? []);
}

/** Changes a file that Claude Code keeps for itself, where it is there. One that cannot be read stays as it is. */
export async function changeRecord(path: string, change: (record: Fields) => Fields): Promise<boolean> {
  const text = await readIfThere(path, MOST_BYTES);
  const record = text === undefined ? undefined : fromJson(text);
  if (text === undefined || !isFields(record)) return false;
  const changed = change(record);
  if (isDeepStrictEqual(changed, record)) return false;
  await replace(path, `${JSON.stringify(changed, null, indentOf(text))}\n`);
  return true;
}

async function restore(
  path: string,
  text: string,
  takeOut: (settings: Fields, before: Fields) => Fields,
): Promise<boolean> {
  const kept = await keptOf(path);
  const settings = parsed(path, text);
  const before = parsed(path, kept?.before ?? "{}");
  // Where somebody rewrote the file between two installations, what was kept at the second has Baton in it.
  const isWithout = isDeepStrictEqual(takeOut(before, before), before);
  if (kept?.after === text && isWithout) {
    if (kept.before === null) await removeFile(path);
    else await replace(path, kept.before);
    return true;
  }
  const changed = takeOut(settings, isWithout ? before : {});
  if (isDeepStrictEqual(changed, settings)) return false;
  await replace(path, `${JSON.stringify(changed, null, indentOf(text))}\n`);
  return true;
}

function parsed(path: string, text: string): Fields {
  const value = fromJson(text.trim() === "" ? "{}" : text);
  if (isFields(value)) return value;
  throw new UsageError(`${path} is not a JSON object, so it was left as it is. Fix it, then try again.`);
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}

/** Many people keep their settings elsewhere and link to them: the link stays. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const target = await realpath(path).catch(() => path);
  const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
  await replaceFile(target, text, mode & 0o777);
}

async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  // A folder that holds nothing else was made for it.
  await rmdir(dirname(path)).catch(() => {});
}

function installedFolder(): string {
  return join(stateFolder(), "installed");
}

function keptPath(path: string): string {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(installedFolder(), `${name}.json`);
}

function keptOf(path: string): Promise<Kept | undefined> {
  return readKept(keptPath(path));
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    const kept: Kept = JSON.parse(await readFile(file, "utf8"));
    return kept;
  } catch {
    return undefined;
  }
}

/** Settings hold secrets now and then. */
async function keep(kept: Kept): Promise<void> {
  const path = keptPath(kept.path);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, JSON.stringify(kept), { mode: 0o600, flush: true });
}

async function forget(path: string): Promise<void> {
  await rm(keptPath(path), { force: true });
}
