import { readFile } from "node:fs/promises";

/** The raw entries of a transcript, read without Baton's own reader: what that one overlooks must show. */
export type Entry = Record<string, unknown>;
export type Block = Record<string, unknown>;

/** A tool call of the main thread, with how it ended. */
export interface Call {
  name: string;
  input: Block;
  output: string;
  failed: boolean;
}

/** A session that compacted on its own, cut at the first time that it did. */
export interface CompactedSession {
  cwd: string;
  /** The lines before the boundary, as they are written. */
  linesBefore: string[];
  before: Entry[];
  after: Entry[];
  /** What the program wrote for the session that followed. */
  summary: string;
}

/** Undefined where the session never compacted. */
export async function compactedSession(file: string): Promise<CompactedSession | undefined> {
  const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
  const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
  if (boundary === -1) return undefined;
  const entries: Entry[] = lines.map((line) => JSON.parse(line));
  const isMain = (entry: Entry) => entry.isSidechain !== true;
  const before = entries.slice(0, boundary).filter(isMain);
  const summary = entries.find((entry) => entry.isCompactSummary === true);
  return {
    cwd: String(before.find((entry) => entry.cwd)?.cwd ?? ""),
    linesBefore: lines.slice(0, boundary),
    before,
    after: entries.slice(boundary).filter((entry) => isMain(entry) && entry.isCompactSummary !== true),
    summary: textOf(messageOf(summary ?? {}).content),
  };
}

/** Every tool call of these entries, in order. */
export function callsIn(entries: readonly Entry[]): Call[] {
  const calls = new Map<string, Call>();
  for (const entry of entries) {
    for (const block of blocks(messageOf(entry).content)) {
      if (entry.type === "assistant" && block.type === "tool_use") {
        const input = typeof block.input === "object" && block.input !== null ? (block.input as Block) : {};
        calls.set(String(block.id), { name: String(block.name), input, output: "", failed: false });
      }
      const call = block.type === "tool_result" ? calls.get(String(block.tool_use_id)) : undefined;
      if (call) {
        call.output = textOf(block.content);
        call.failed = block.is_error === true;
      }
    }
  }
  return [...calls.values()];
}

/** What was said in these entries, by the user and by the agent. */
export function wordsIn(entries: readonly Entry[]): string[] {
  return entries
    .filter(({ type, isMeta }) => (type === "assistant" || type === "user") && isMeta !== true)
    .map((entry) => textOf(messageOf(entry).content));
}

export function messageOf(entry: Entry): Block {
  return typeof entry.message === "object" && entry.message !== null ? (entry.message as Block) : {};
}

function blocks(content: unknown): Block[] {
  return Array.isArray(content) ? content : [];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return blocks(content)
    .map((block) => (typeof block.text === "string" ? block.text : ""))
    .join("\n");
}
