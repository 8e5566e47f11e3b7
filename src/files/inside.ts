import { constants, existsSync, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { codeOf } from "../util/errors.ts";
import { inUnits } from "./bounded-file.ts";

/** Why a path is not opened. */
export type Unsafe = "outside" | "link" | "not-a-file" | "not-a-folder" | "too-large" | "two-names";

const words: Record<Exclude<Unsafe, "too-large">, string> = {
  outside: "is not a relative path to something inside",
  link: "is a link, or is reached through one",
  "not-a-file": "is not a regular file",
  "not-a-folder": "is not a folder",
  "two-names": "has another name elsewhere (a hard link)",
};

/** A path that a project names leads, or could lead, somewhere else. */
export class UnsafePathError extends Error {
  override readonly name = "UnsafePathError";
  readonly code: Unsafe;

  constructor(path: string, code: Unsafe, mostBytes = MEGABYTE) {
    super(`${path} ${code === "too-large" ? `is larger than ${inUnits(mostBytes)}` : words[code]}.`);
    this.code = code;
  }
}

/** A folder that is open. `path` leads to that very folder, whatever takes its place by name, until it is closed. */
export interface OpenFolder extends AsyncDisposable {
  path: string;
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Not to wait for whoever writes into a pipe. */
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MEGABYTE = 1024 * 1024;

/** Whether a path is the folder, or below it, by their names. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The parts of a relative path that stays inside by its words. */
function partsInside(path: string): string[] {
  const parts = path.split(sep).filter((part) => part !== "" && part !== ".");
  if (path === "" || isAbsolute(path) || path.includes("\0") || parts.includes("..")) {
    throw new UnsafePathError(path, "outside");
  }
  return parts;
}

/**
 * Opens a folder below `root`, part by part, each from the one before and without following a link. `root` itself is the
 * user's own word, through whatever links. Undefined where it is not there; with `make` it is made.
 */
export async function openFolderInside(
  root: string,
  path: string,
  { make }: { make?: { mode: number } } = {},
): Promise<OpenFolder | undefined> {
  const parts = path === "." ? [] : partsInside(path);
  let folder = await opened(await realpath(root), root);
  for (const part of parts) {
    const { handle } = folder;
    const next = await below(folder, part, join(root, path), make).finally(() => handle.close());
    if (!next) return undefined;
    folder = next;
  }
  const { handle, ...rest } = folder;
  return { ...rest, [Symbol.asyncDispose]: () => handle.close() };
}

interface Held {
  path: string;
  handle: FileHandle;
}

async function below(
  folder: Held,
  part: string,
  whole: string,
  make?: { mode: number },
): Promise<Held | undefined> {
  const path = join(folder.path, part);
  try {
    if (make) await mkdir(path, make).catch(unless("EEXIST"));
    return await opened(path, whole);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function opened(path: string, whole: string): Promise<Held> {
  let handle: FileHandle;
  try {
    handle = await open(path, FOLDER);
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ELOOP" && code !== "ENOTDIR") throw error;
    const found = await lstat(path);
    throw new UnsafePathError(whole, found.isSymbolicLink() ? "link" : "not-a-folder");
  }
  return { path: byHandle ? `/proc/self/fd/${handle.fd}` : path, handle };
}

/** Elsewhere a path is looked at part by part as well, but by name: who swaps a folder in that moment could win. */
const byHandle = process.platform === "linux" && existsSync("/proc/self/fd");

interface ReadOptions {
  mostBytes?: number;
  /** Also a file that has another name elsewhere. What is committed must not have one: it may be anybody's file. */
  sharedNames?: boolean;
}

/** The text of a regular file below `root`, reached without any link. Undefined where it is not there. */
export async function readInside(
  root: string,
  path: string,
  options: ReadOptions = {},
): Promise<string | undefined> {
  const parts = partsInside(path);
  const name = parts.pop();
  if (name === undefined) throw new UnsafePathError(path, "not-a-file");
  await using folder = await openFolderInside(root, parts.join(sep) || ".");
  return folder && (await readRegular(join(folder.path, name), { ...options, shown: join(root, path) }));
}

/** The text of a regular file that is not a link itself. Undefined where it is not there. */
export async function readRegular(
  path: string,
  options: ReadOptions & { shown?: string } = {},
): Promise<string | undefined> {
  return (await bytesOfRegular(path, options))?.toString("utf8");
}

export async function bytesOfRegular(
  path: string,
  { mostBytes = MEGABYTE, sharedNames = false, shown = path }: ReadOptions & { shown?: string },
): Promise<Buffer | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, FILE);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") throw new UnsafePathError(shown, "link");
    if (codeOf(error) === "ENXIO") throw new UnsafePathError(shown, "not-a-file");
    throw error;
  }
  try {
    const problem = problemWith(await file.stat(), mostBytes, sharedNames);
    if (problem) throw new UnsafePathError(shown, problem, mostBytes);
    const read = await upTo(file, mostBytes + 1);
    if (read.length > mostBytes) throw new UnsafePathError(shown, "too-large", mostBytes);
    return read;
  } finally {
    await file.close();
  }
}

const CHUNK_BYTES = 64 * 1024;

/** The size that a file says it has need not be what it holds. */
async function upTo(file: FileHandle, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < most) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, most - length));
    const { bytesRead } = await file.read(piece, 0, piece.length, null);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(pieces, length);
}

function problemWith(found: Stats, mostBytes: number, sharedNames: boolean): Unsafe | undefined {
  if (!found.isFile()) return "not-a-file";
  if (found.nlink > 1 && !sharedNames) return "two-names";
  return found.size > mostBytes ? "too-large" : undefined;
}

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
