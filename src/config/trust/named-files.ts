import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { leavesFolder } from "../../trust/inside.ts";
import { digestOf, placeOfFile, type Trusted } from "../../trust/record.ts";
import type { ActingPart, PartTrust } from "./acting.ts";

/** A file of the project that a trusted key starts or reads: a script, a template, a program. */
export interface NamedFile {
  path: string;
  place: string;
  /** The key that names it, and in which file that stands. */
  by: Pick<ActingPart, "key" | "file" | "line" | "agent">;
  digest: string;
  /** What people are shown of it; empty for what is no text. */
  shown: string;
  trust: PartTrust;
}

/** Whatever may separate a path from the rest of a command. */
const BETWEEN_WORDS = /[\s"'`;|&<>()=,:$@{}[\]]+/;
const MOST_WORDS = 2_000;
const LONGEST_WORD = 1_000;
/** A program can be large. Of more than this only the beginning and the size count. */
const MOST_READ = 64 * 1024 * 1024;
const MOST_SHOWN = 64 * 1024;

/** The files of a project that acting parts name. What such a file starts in its turn is not followed. */
export function namedFiles(root: string, acting: readonly ActingPart[], trusted: Trusted): NamedFile[] {
  const found = new Map<string, NamedFile>();
  for (const part of acting) {
    for (const word of wordsOf(part.texts)) {
      const path = resolve(root, word);
      if (found.has(path) || !isFile(path) || leavesFolder(root, path)) continue;
      const { key, file, line, agent } = part;
      const by = { key, file, line, ...(agent !== undefined && { agent }) };
      found.set(path, { path, by, ...contentOf(path, trusted) });
    }
  }
  return [...found.values()];
}

function wordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => [text, ...text.split(BETWEEN_WORDS)]);
  return [...new Set(words)]
    .filter((word) => word !== "" && word.length <= LONGEST_WORD && !word.includes("\0"))
    .slice(0, MOST_WORDS);
}

function contentOf(path: string, trusted: Trusted): Omit<NamedFile, "path" | "by"> {
  const place = placeOfFile(path);
  const bytes = readFileSync(path);
  const digest = digestOf(
    bytes.length > MOST_READ ? `${bytes.length} ${digestOf(bytes.subarray(0, MOST_READ))}` : bytes,
  );
  const text = bytes.subarray(0, MOST_SHOWN).toString("utf8");
  const shown = text.includes("\0") ? "" : text;
  const earlier = trusted[place]?.parts[""];
  if (!earlier) return { place, digest, shown, trust: { state: "new" } };
  if (earlier.digest === digest) return { place, digest, shown, trust: { state: "trusted" } };
  return { place, digest, shown, trust: { state: "changed", earlier: earlier.shown } };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
