import { replayed, thresholdsIn, USUAL_THRESHOLDS } from "../../app/jobs/replay.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { replayReport } from "../../display/replay-report.ts";
import { paintFor } from "../../display/style.ts";
import type { Replay } from "../../job/replay/simulate.ts";

export interface ReplayOptions {
  config?: string;
  json?: boolean;
  at?: string;
}

export async function replay(names: readonly string[], options: ReplayOptions): Promise<number> {
  const thresholds = thresholdsIn(options.at ?? USUAL_THRESHOLDS.join(","));
  const replays = await replayed(findProject(options), names, thresholds);
  if (options.json) printJson(replays.map(view));
  else if (replays.length === 0)
    printWords("No job has a token count yet. Name a transcript: baton replay <file>");
  else {
    const paint = paintFor(process.stdout, process.env);
    const { columns = 100 } = process.stdout;
    print(replays.map((each) => replayReport(each, columns, paint)).join("\n\n"));
  }
  return 0;
}

/** Keys are a promise to users. What is not known is null. */
function view(replay: Replay) {
  const { name, turns, window, happened, asHappened, at, assumes, isMeasured, onSimulator } = replay;
  return {
    name,
    turns,
    contextWindow: window ?? null,
    onSimulator,
    happened: figures(happened),
    simulated: figures(asHappened),
    at: at.map(({ name, ...replay }) => ({ threshold: name, ...figures(replay) })),
    assumes: { ...assumes, rampUpMeasured: isMeasured },
  };
}

function figures({ handoffs, peakTokens, usage, costUsd, durationMs }: Replay["happened"]) {
  return { handoffs, peakTokens, usage, costUsd: costUsd ?? null, durationMs: durationMs ?? null };
}
