import { readFile } from "node:fs/promises";
import { lineEvents } from "../src/agents/claude/transcript/line.ts";
import { claudeModels } from "../src/agents/claude/windows.ts";
import type { Threshold } from "../src/config/reader/threshold.ts";
import { USUAL_COSTS } from "../src/context/economy.ts";
import { happened, replay } from "../src/job/replay/simulate.ts";
import { type Trace, transcriptTrace } from "../src/job/replay/trace.ts";
import type { Measure } from "./measure.ts";
import { transcriptsIn } from "./transcripts.ts";

const WINDOW = 200_000;
const FIXED = [80_000, 100_000, 120_000, 140_000, 160_000, 180_000];
/** Where Claude Code compacts a window of 200,000 by itself. */
const OWN_COMPACTION = 167_000;
/** A single session ends at a moment that nobody could foresee. Played over and over, that luck goes out of it. */
const ROUNDS = 6;

const terms = { models: claudeModels, costs: USUAL_COSTS, handoffMs: 0 };

/** What `economical` costs against the best fixed threshold of each session, and against handing off late. */
export async function measureThresholds(folder?: string): Promise<Measure[]> {
  const traces = await Promise.all((await transcriptsIn(folder)).files.map(traceOf));
  const played = traces.filter(({ turns }) => turns.length > 0);
  const repeated = played.map((trace) => ({ ...trace, turns: repeat(trace.turns) }));
  const once = ratiosOf(played);
  const over = ratiosOf(repeated);
  const simulated = played.map((trace) => {
    const really = happened(trace, terms).costUsd ?? Number.NaN;
    return (replay(trace, { kind: "as-happened" }, terms).costUsd ?? Number.NaN) / really;
  });
  return [
    {
      name: "economical-to-best",
      value: median(once.map(({ best }) => best)),
      unit: "ratio",
      limit: 1.05,
      detail: {
        sessions: once.length,
        worst: Math.max(...once.map(({ best }) => best)),
        within_5_percent: once.filter(({ best }) => best <= 1.05).length,
        worst_of_rounds: Math.max(...over.map(({ best }) => best)),
        rounds_within_5_percent: over.filter(({ best }) => best <= 1.05).length,
        simulation_to_reality: median(simulated),
      },
    },
    {
      name: "economical-to-90-percent",
      value: median(once.map(({ late }) => late)),
      unit: "ratio",
      limit: 0.92,
      detail: { rounds: median(over.map(({ late }) => late)) },
    },
    {
      name: "economical-to-own-compaction",
      value: median(once.map(({ compaction }) => compaction)),
      unit: "ratio",
      limit: 0.92,
      detail: { rounds: median(over.map(({ compaction }) => compaction)) },
    },
  ];
}

async function traceOf(file: string): Promise<Trace> {
  return transcriptTrace((await readFile(file, "utf8")).split("\n").flatMap(lineEvents), WINDOW);
}

function repeat(turns: Trace["turns"]): Trace["turns"] {
  return Array.from({ length: ROUNDS }, (_, round) =>
    turns.map((turn, at) => (round > 0 && at === 0 ? { ...turn, after: "compaction" as const } : turn)),
  ).flat();
}

function ratiosOf(traces: readonly Trace[]) {
  return traces.map((trace) => {
    const at = (threshold: Threshold) =>
      replay(trace, { kind: "threshold", threshold }, terms).costUsd ?? Number.NaN;
    const tokens = (count: number) => at({ kind: "tokens", tokens: count });
    const economical = at({ kind: "economical" });
    return {
      best: economical / Math.min(...FIXED.map(tokens)),
      late: economical / at({ kind: "remaining", fraction: 0.1 }),
      compaction: economical / tokens(OWN_COMPACTION),
    };
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
