import { readFileSync, type Stats, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { placeOfFile } from "../../files/place-of-file.ts";
import { leavesFolder } from "../../trust/inside.ts";
import { digestOf, type Trusted } from "../../trust/record.ts";
import type { ActingPart, PartTrust } from "./acting.ts";

/** A file of the project that acts because a key names it: a script, a program, a template. */
export interface NamedFile {
  path: string;
  place: string;
  /** The key that names it. */
  by: Pick<ActingPart, "key" | "agent">;
  digest: string;
  /** What people are shown of it; empty for what is no text. */
  shown: string;
  trust: PartTrust;
}

/** What each file was that somebody agreed to, by its name from the folder that commands run in. */
export type AgreedFiles = Readonly<Record<string, string>>;

/** Whatever may separate a path from the rest of a command. */
const BETWEEN_WORDS = /[\s"'`;|&<>()=,:$@{}[\]]+/;
const MOST_WORDS = 2_000;
const LONGEST_WORD = 1_000;
/** A program can be large. Of more than this only the beginning and the size count. */
const MOST_READ = 64 * 1024 * 1024;
const MOST_SHOWN = 64 * 1024;
const SCRIPT =
  /\.(?:sh|bash|zsh|fish|[cm]?[jt]sx?|py|rb|pl|php|lua|ps1|cmd|bat|awk|exs?|jl|r|groovy|kts|ya?ml)$/i;
/** Under these keys any file counts, whatever it is called. */
const NAMES_A_FILE = /(?:^|\.)(?:executable|command|handoff)(?:\.|$)/;

/** The files that acting parts name in these folders. What such a file starts in its turn is not followed. */
export function namedFiles(
  folders: readonly string[],
  acting: readonly Pick<ActingPart, "key" | "agent" | "texts">[],
  trusted: Trusted,
): NamedFile[] {
  const found = new Map<string, NamedFile>();
  for (const { key, agent, texts } of acting) {
    const by = { key, ...(agent !== undefined && { agent }) };
    for (const folder of folders) {
      for (const path of filesIn(texts, folder, NAMES_A_FILE.test(key))) {
        if (!found.has(path)) found.set(path, { path, by, ...contentOf(path, trusted) });
      }
    }
  }
  return [...found.values()];
}

/** The first file that a command would run in this folder and that is not what somebody agreed to. */
export function notAgreedTo(
  commands: readonly string[],
  folder: string,
  agreed: AgreedFiles,
): string | undefined {
  const other = filesIn(commands, folder, false).find(
    (path) => digestOfFile(path) !== agreed[relative(folder, path)],
  );
  return other && relative(folder, other);
}

function filesIn(texts: readonly string[], folder: string, any: boolean): string[] {
  const words = texts.flatMap((text) => [text, ...text.split(BETWEEN_WORDS)]);
  return [...new Set(words)]
    .filter((word) => word !== "" && word.length <= LONGEST_WORD && !word.includes("\0"))
    .slice(0, MOST_WORDS)
    .map((word) => resolve(folder, word))
    .filter((path) => acts(path, any) && !leavesFolder(folder, path));
}

/** Data that a command works on may change as it likes. */
function acts(path: string, any: boolean): boolean {
  const found = stat(path);
  if (!found?.isFile()) return false;
  return any || (found.mode & 0o111) !== 0 || SCRIPT.test(path);
}

function digestOfFile(path: string): string {
  return digestOfBytes(readFileSync(path));
}

function digestOfBytes(bytes: Buffer): string {
  if (bytes.length <= MOST_READ) return digestOf(bytes);
  return digestOf(`${bytes.length} ${digestOf(bytes.subarray(0, MOST_READ))}`);
}

function contentOf(path: string, trusted: Trusted): Omit<NamedFile, "path" | "by"> {
  const place = placeOfFile(path);
  const bytes = readFileSync(path);
  const digest = digestOfBytes(bytes);
  const text = bytes.subarray(0, MOST_SHOWN).toString("utf8");
  const shown = text.includes("\0") ? "" : text;
  const earlier = trusted[place]?.parts[""];
  if (!earlier) return { place, digest, shown, trust: { state: "new" } };
  if (earlier.digest === digest) return { place, digest, shown, trust: { state: "trusted" } };
  return { place, digest, shown, trust: { state: "changed", earlier: earlier.shown } };
}

function stat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
