import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { initialContext, track } from "../src/context/tracker.ts";
import { TranscriptReader } from "../src/context/transcript.ts";
import type { Measure } from "./measure.ts";

const ROUNDS = 15;
const WARM_UP_ROUNDS = 5;
const NEWLINE = 0x0a;
const TRANSCRIPTS = fileURLToPath(new URL("../../shared/data/transcripts", import.meta.url));

export class NoTranscriptsError extends Error {
  override readonly name = "NoTranscriptsError";

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `No transcripts (*.jsonl) in ${folder}. Name a folder with Claude Code transcripts to measure on.`,
      options,
    );
  }
}

/** Following real transcripts with the tracker, against reading them and parsing each line. */
export async function measureTracker(folder: string = TRANSCRIPTS): Promise<Measure[]> {
  const files = await transcriptsIn(folder);
  const tracking: number[] = [];
  const parsing: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const parsed = await timed(() => inTurn(files, parseLines));
    const tracked = await timed(() => inTurn(files, trackFile));
    if (round < 0) continue;
    parsing.push(parsed);
    tracking.push(tracked);
  }
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return [
    {
      name: "tracker over real transcripts / JSON.parse of the same lines",
      value: median(tracking) / median(parsing),
      unit: "ratio",
      limit: 1.15,
      detail: {
        trackerMs: median(tracking),
        parseMs: median(parsing),
        megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1e6,
        files: files.length,
        rounds: ROUNDS,
      },
    },
  ];
}

async function transcriptsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new NoTranscriptsError(folder, { cause });
  });
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  if (files.length === 0) throw new NoTranscriptsError(folder);
  return files;
}

async function trackFile(file: string): Promise<void> {
  let state = initialContext({});
  for await (const event of new TranscriptReader(file).read()) state = track(state, event);
  if (state.turns === 0) throw new Error(`${file} holds no response: it is not a Claude Code transcript.`);
}

async function parseLines(file: string): Promise<void> {
  const content = await readFile(file);
  let start = 0;
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    JSON.parse(content.toString("utf8", start, end));
    start = end + 1;
  }
}

async function inTurn(files: string[], work: (file: string) => Promise<void>): Promise<void> {
  for (const file of files) await work(file);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
