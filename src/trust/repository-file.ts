import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { bytesOfRegular, UnsafePathError } from "../files/inside.ts";
import { codeOf, messageOf } from "../util/errors.ts";
import { canonicalJson } from "./canonical-json.ts";
import { digestOf } from "./record.ts";

/** A file that a program acts on by itself when it finds it. */
export type RepositoryFile = {
  /** From the folder that was asked about; begins with `..` where the program looks further up. */
  path: string;
  /** Where it is, by its own name: links in it are not resolved. */
  file: string;
} & (
  | { kind: "file"; digest: string; text: string }
  /** Nobody can agree to it, because nobody could say what it holds by the time it is read. */
  | { kind: "unfit"; why: string }
);

export const BOUNDS = { files: 1_000, bytes: 1_000_000, allBytes: 16_000_000, depth: 12 };

/** What to look at, with all that is below it, and which folder its links must not leave. */
export interface Lookup {
  path: string;
  inside: string;
  /** Which of the entries of `path` to leave out. */
  except?: ReadonlySet<string>;
}

/** Reads what there is of these, in the order of their names. What is not there is no file. */
export async function readRepositoryFiles(
  from: string,
  lookups: readonly Lookup[],
): Promise<RepositoryFile[]> {
  const reading: Reading = { from, files: [], bytes: 0 };
  for (const { path, inside, except } of lookups) {
    const real = await realpath(inside).catch(() => inside);
    await look(reading, { path, inside: real, above: [], ...(except && { except }) });
  }
  return reading.files;
}

interface Reading {
  from: string;
  files: RepositoryFile[];
  bytes: number;
}

interface Place {
  path: string;
  inside: string;
  except?: ReadonlySet<string>;
  /** The real folders that led here. */
  above: readonly string[];
}

async function look(reading: Reading, place: Place): Promise<void> {
  const { path, above } = place;
  if (reading.files.length > BOUNDS.files) return;
  if (reading.files.length === BOUNDS.files)
    return unfit(reading, path, `is one of more than ${BOUNDS.files}`);
  try {
    const found = await lstat(path);
    const real = found.isSymbolicLink() ? await target(path, place.inside) : path;
    const there = found.isSymbolicLink() ? await lstat(real) : found;
    if (there.isDirectory()) {
      const folder = await realpath(real);
      if (above.includes(folder)) throw new UnfitError("is a link in a circle");
      if (above.length >= BOUNDS.depth) throw new UnfitError("lies too deep");
      for (const name of (await readdir(real)).sort()) {
        if (place.except?.has(name)) continue;
        await look(reading, { path: join(path, name), inside: place.inside, above: [...above, folder] });
      }
    } else if (there.isFile()) reading.files.push(await read(reading, path, real));
    else throw new UnfitError("is no file");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return;
    unfit(reading, path, whyUnfit(error));
  }
}

function whyUnfit(error: unknown): string {
  if (error instanceof UnfitError) return error.message;
  if (error instanceof UnsafePathError && error.code === "too-large") return "is too large to look at";
  return `cannot be read: ${messageOf(error)}`;
}

class UnfitError extends Error {
  override name = "UnfitError";
}

/** What a link leads to, if that is in the same folder: elsewhere others may change it. */
async function target(path: string, inside: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw new UnfitError(`is a link that leads nowhere: ${await readlink(path)}`);
  if (real !== inside && !real.startsWith(inside + sep)) {
    throw new UnfitError(`is a link out of the repository: ${await readlink(path)}`);
  }
  return real;
}

async function read(reading: Reading, path: string, real: string): Promise<RepositoryFile> {
  const mostBytes = Math.min(BOUNDS.bytes, BOUNDS.allBytes - reading.bytes);
  const content = await bytesOfRegular(real, { mostBytes, sharedNames: true });
  if (content === undefined) throw new UnfitError("is no longer there");
  reading.bytes += content.length;
  const text = content.toString("utf8");
  const canonical = /\.json$/i.test(path) ? canonicalJson(text) : undefined;
  return {
    path: relative(reading.from, path),
    file: path,
    kind: "file",
    digest: digestOf(canonical ?? content),
    text: canonical ?? (text.includes("\0") ? `(${content.length} bytes that are no text)` : text),
  };
}

function unfit(reading: Reading, path: string, why: string): void {
  reading.files.push({ path: relative(reading.from, path), file: path, kind: "unfit", why });
}
