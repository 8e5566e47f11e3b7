import { TranscriptReader } from "../src/agents/claude/transcript/reader.ts";
import { claudeModels } from "../src/agents/claude/windows.ts";
import { initialContext, track } from "../src/context/tracker.ts";
import { type Measure, median, timed } from "./measure.ts";
import { parseLines, transcriptsIn } from "./transcripts.ts";

const ROUNDS = 15;
const WARM_UP_ROUNDS = 5;

/** Following real transcripts with the tracker, against reading them and parsing each line. */
export async function measureTracker(folder?: string): Promise<Measure> {
  const { files, megabytes } = await transcriptsIn(folder);
  const tracking: number[] = [];
  const parsing: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const parsed = await timed(() => inTurn(files, parseLines));
    const tracked = await timed(() => inTurn(files, trackFile));
    if (round < 0) continue;
    parsing.push(parsed);
    tracking.push(tracked);
  }
  return {
    name: "tracker",
    value: median(tracking) / median(parsing),
    unit: "ratio",
    limit: 1.15,
    detail: {
      compared: "tracker over real transcripts / JSON.parse of the same lines",
      trackerMs: median(tracking),
      parseMs: median(parsing),
      megabytes,
      files: files.length,
      rounds: ROUNDS,
    },
  };
}

async function trackFile(file: string): Promise<void> {
  let state = initialContext({});
  for await (const event of new TranscriptReader(file).read()) state = track(state, event, claudeModels);
  if (state.turns === 0) throw new Error(`${file} holds no response: it is not a Claude Code transcript.`);
}

async function inTurn(files: string[], work: (file: string) => Promise<void>): Promise<void> {
  for (const file of files) await work(file);
}
