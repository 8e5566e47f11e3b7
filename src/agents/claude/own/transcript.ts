import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AgentEvent } from "../../events.ts";
import { TranscriptReader } from "../transcript/reader.ts";

export { type ReadingPlace, TranscriptReader } from "../transcript/reader.ts";
export { findTranscript, folderOf } from "../transcripts.ts";

const ENDING = ".jsonl";

/** Everything in a transcript, from its beginning. A file that is not there holds nothing. */
export function transcriptEvents(path: string): AsyncIterable<AgentEvent> {
  return new TranscriptReader(path).read();
}

/** Where another session of the same folder has its transcript. */
export function transcriptBeside(transcript: string, id: string): string {
  return join(dirname(transcript), `${id}${ENDING}`);
}

/** All other sessions of the same folder. */
export async function transcriptsBeside(transcript: string): Promise<{ id: string; path: string }[]> {
  const folder = dirname(transcript);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => ({ id: basename(name, ENDING), path: join(folder, name) }))
    .filter(({ path }) => path !== transcript);
}

/** Where a subagent that a session started has its own transcript. */
export function subagentTranscript(main: string, id: string): string {
  return join(dirname(main), basename(main, ENDING), "subagents", `agent-${id}${ENDING}`);
}
