// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { closeSync, constants, fstatSync, openSync, readSync } = process.getBuiltinModule("node:fs");

/** Why a file that others may have written is not read: it could hold up its reader. */
export class UnfitFileError extends Error {
  override readonly name = "UnfitFileError";
  readonly path: string;
  readonly unfit: "too-large" | "folder" | "no-file";

  constructor(path: string, unfit: UnfitFileError["unfit"], limit: number) {
    super(`${path} ${WORDS[unfit](limit)}`);
    this.path = path;
    this.unfit = unfit;
  }
}

const WORDS: Record<UnfitFileError["unfit"], (limit: number) => string> = {
  "too-large": (limit) =>
    `is larger than ${inUnits(limit)}, and Baton reads no more of such a file. Shorten it.`,
  folder: () => "is a folder, not a file. Move it away, or name a file.",
  "no-file": () => "is a pipe, a socket or a device, not a file. Put a regular file in its place.",
};

/** `64 kB`, `4 MB`. */
export function inUnits(bytes: number): string {
  const kilobytes = Math.round(bytes / 1024);
  return kilobytes < 1024 ? `${kilobytes} kB` : `${Math.round(kilobytes / 1024)} MB`;
}

/** A file as it is read: what it turned out to be, and how to read it. */
export interface OpenFile extends Disposable {
  fd: number;
  inode: number;
  size: number;
}

/**
 * Opens a regular file and nothing else. Without waiting: a pipe that nobody writes to would hold up its reader for
 * ever, and is found out only once it is open.
 */
export function openRegular(path: string): OpenFile {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
  const fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  try {
    const found = fstatSync(fd);
    if (found.isDirectory()) throw new UnfitFileError(path, "folder", 0);
    if (!found.isFile()) throw new UnfitFileError(path, "no-file", 0);
    return { fd, inode: found.ino, size: found.size, [Symbol.dispose]: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A file that is not Baton's own, as a whole. One that is larger than `limit` is refused, also if it grows meanwhile. */
export function readBounded(path: string, limit: number): Buffer {
  using file = openRegular(path);
  if (file.size > limit) throw new UnfitFileError(path, "too-large", limit);
  const read = readFrom(file.fd, limit + 1);
  if (read.length > limit) throw new UnfitFileError(path, "too-large", limit);
  return read;
}

export function readBoundedText(path: string, limit: number): string {
  return readBounded(path, limit).toString("utf8");
}

/** Only the beginning of a file, where that is enough. */
export function readBeginning(path: string, limit: number): string {
  using file = openRegular(path);
  return readFrom(file.fd, limit).toString("utf8");
}

const CHUNK_BYTES = 64 * 1024;

/** Up to so many bytes from where a descriptor stands. */
function readFrom(fd: number, most: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < most) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, most - length));
    const read = readSync(fd, piece, 0, piece.length, null);
    if (read === 0) break;
    pieces.push(piece.subarray(0, read));
    length += read;
  }
  return Buffer.concat(pieces, length);
}
