import { accessSync, constants, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../util/errors.ts";
import { size } from "../util/figures.ts";

const CODES = ["ENOSPC", "EDQUOT", "EROFS"] as const;
type Code = (typeof CODES)[number];

/** A folder takes nothing more. Somebody has to make room in it, and what was to be written can be written then. */
export class NoRoomError extends Error {
  override readonly name = "NoRoomError";
  readonly code: Code;
  readonly folder: string;

  constructor(code: Code, folder: string, cause: unknown) {
    super(`${folder} cannot be written: ${inWords(code, folder)}`, { cause });
    this.code = code;
    this.folder = folder;
  }
}

/**
 * The same error, with what is full, where it is one of a full or read-only disk. `folders`: where the work was to be written;
 * without any, what the error itself names.
 */
export function noRoom(error: unknown, ...folders: string[]): NoRoomError | undefined {
  if (error instanceof NoRoomError) return error;
  const code = CODES.find((one) => one === codeOf(error));
  if (code === undefined) return undefined;
  const folder = code === "EROFS" ? folders.find(isReadOnly) : fullest(folders);
  return new NoRoomError(code, folder ?? folders[0] ?? placeIn(error), error);
}

/** Has an error of a full or read-only disk say which folder that is. */
export async function sayingWhere<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw noRoom(error, folder) ?? error;
  }
}

function inWords(code: Code, folder: string): string {
  switch (code) {
    case "ENOSPC":
      return `its disk is full${figures(folder)}. Make room there.`;
    case "EDQUOT":
      return "your quota there is used up. Make room there, or have it raised.";
    case "EROFS":
      return "it is read-only. Make it writable.";
  }
}

function figures(folder: string): string {
  const disk = diskOf(folder);
  return disk ? ` (${size(disk.free)} free of ${size(disk.all)})` : "";
}

function fullest(folders: string[]): string | undefined {
  const known = folders.flatMap((folder) => {
    const disk = diskOf(folder);
    return disk ? [{ folder, free: disk.free }] : [];
  });
  return known.sort((a, b) => a.free - b.free)[0]?.folder;
}

function diskOf(folder: string): { free: number; all: number } | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { free: bavail * bsize, all: blocks * bsize };
  } catch {
    return undefined;
  }
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === "EROFS";
  }
}

function placeIn(error: unknown): string {
  const isPlaced = error instanceof Error && "path" in error && typeof error.path === "string";
  return isPlaced ? dirname(String(error.path)) : "A folder that was to be written";
}
