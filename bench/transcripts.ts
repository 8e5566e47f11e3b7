import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TRANSCRIPTS = fileURLToPath(new URL("../../shared/data/transcripts", import.meta.url));
const NEWLINE = 0x0a;

class NoTranscriptsError extends Error {
  override readonly name = "NoTranscriptsError";

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `No transcripts (*.jsonl) in ${folder}. Name a folder with Claude Code transcripts to measure on.`,
      options,
    );
  }
}

/** Real Claude Code transcripts to measure on. */
export interface Transcripts {
  files: string[];
  megabytes: number;
}

export async function transcriptsIn(folder: string = TRANSCRIPTS): Promise<Transcripts> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new NoTranscriptsError(folder, { cause });
  });
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  if (files.length === 0) throw new NoTranscriptsError(folder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return { files, megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1e6 };
}

/** The least that anything which understands a transcript must do. */
export async function parseLines(file: string): Promise<void> {
  const content = await readFile(file);
  let start = 0;
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    JSON.parse(content.toString("utf8", start, end));
    start = end + 1;
  }
}
