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

/** A session, cut at one moment. */
export interface CutSession {
  cwd: string;
  /** The lines before the cut, as they are written. */
  linesBefore: string[];
  before: Entry[];
  after: Entry[];
}

/** A session that compacted on its own, cut at the first time that it did. */
export interface CompactedSession extends CutSession {
  /** What the program wrote for the session that followed. */
  summary: string;
}

/** Undefined where the session never compacted. */
export async function compactedSession(file: string): Promise<CompactedSession | undefined> {
  const { lines, entries } = await written(file);
  const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
  if (boundary === -1) return undefined;
  const summary = entries.find((entry) => entry.isCompactSummary === true);
  return { ...cutAt(boundary, lines, entries), summary: textOf(messageOf(summary ?? {}).content) };
}

/** A session, cut after so many calls and then after so many more each, where no call runs and enough of them follow. */
export async function cutSessions(
  file: string,
  { first, every, least }: { first: number; every: number; least: number },
): Promise<CutSession[]> {
  const { lines, entries } = await written(file);
  const running = new Set<unknown>();
  const cuts: number[] = [];
  let ended = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.isSidechain === true) continue;
    for (const block of blocks(messageOf(entry).content)) {
      if (entry.type === "assistant" && block.type === "tool_use") running.add(block.id);
      if (block.type === "tool_result" && running.delete(block.tool_use_id)) ended += 1;
    }
    if (running.size === 0 && ended >= first + every * cuts.length) cuts.push(index + 1);
  }
  return cuts.map((at) => cutAt(at, lines, entries)).filter(({ after }) => callsIn(after).length >= least);
}

async function written(file: string): Promise<{ lines: string[]; entries: Entry[] }> {
  const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
  return { lines, entries: lines.map((line) => JSON.parse(line)) };
}

function cutAt(at: number, lines: string[], entries: Entry[]): CutSession {
  const isMain = (entry: Entry) => entry.isSidechain !== true && entry.isCompactSummary !== true;
  const before = entries.slice(0, at).filter(isMain);
  return {
    cwd: String(before.find((entry) => entry.cwd)?.cwd ?? ""),
    linesBefore: lines.slice(0, at),
    before,
    after: entries.slice(at).filter(isMain),
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
