import { readFile } from "node:fs/promises";
import { lineEvents } from "../src/agents/claude/transcript/line.ts";
import { claudeModels } from "../src/agents/claude/windows.ts";
import type { Threshold } from "../src/config/reader/threshold.ts";
import { USUAL_COSTS } from "../src/context/economy.ts";
import { isMiss } from "../src/context/pace.ts";
import { happened, replay } from "../src/job/replay/simulate.ts";
import { promptOf, type Trace, transcriptTrace } from "../src/job/replay/trace.ts";
import type { Measure } from "./measure.ts";
import { transcriptsIn } from "./transcripts.ts";

const WINDOW = 200_000;
const FIXED = [80_000, 100_000, 120_000, 140_000, 160_000, 180_000];
/** Where Claude Code compacts a window of 200,000 by itself. */
const OWN_COMPACTION = 167_000;
/** A single session ends at a moment that nobody could foresee. Played over and over, that luck goes out of it. */
const ROUNDS = 6;
/** Each session again, had it ended earlier: shares of its turns. */
const ENDS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];
/** Around the best of most sessions, close together: how much of a best threshold is where it happens to fall. */
const CLOSE = Array.from({ length: 28 }, (_, index) => 84_000 + 2_000 * index);

const terms = { models: claudeModels, costs: USUAL_COSTS, handoffMs: 0 };

/** What `economical` costs against the best fixed threshold of each session, and against handing off late. */
export async function measureThresholds(folder?: string): Promise<Measure[]> {
  const traces = await Promise.all((await transcriptsIn(folder)).files.map(traceOf));
  const played = traces.filter(({ turns }) => turns.length > 0);
  const repeated = played.map((trace) => ({ ...trace, turns: repeat(trace.turns) }));
  const once = ratiosOf(played);
  const over = ratiosOf(repeated);
  const ended = played.flatMap((trace) => ENDS.map((share) => endedAt(trace, share)));
  const earlier = ratiosOf(ended);
  const worst = once.toSorted((a, b) => b.best - a.best)[0];
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
        worst: worst?.best ?? Number.NaN,
        worst_had_no_cache_been_lost: worst
          ? (ratiosOf([keptInCache(worst.trace)])[0]?.best ?? Number.NaN)
          : Number.NaN,
        ...(worst && aroundTheBest(worst.trace)),
        within_5_percent: once.filter(({ best }) => best <= 1.05).length,
        worst_of_rounds: Math.max(...over.map(({ best }) => best)),
        rounds_within_5_percent: over.filter(({ best }) => best <= 1.05).length,
        simulation_to_reality: median(simulated),
      },
    },
    {
      name: "economical-to-best-ended-earlier",
      value: mean(earlier.map(({ best }) => best)),
      unit: "ratio",
      limit: 1.05,
      detail: {
        sessions: earlier.length,
        within_5_percent: earlier.filter(({ best }) => best <= 1.05).length,
        best_single_threshold: Math.min(
          ...FIXED.map((tokens) => mean(earlier.map(({ fixed }) => fixed(tokens)))),
        ),
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
    const least = Math.min(...FIXED.map(tokens));
    return {
      trace,
      best: economical / least,
      fixed: (count: number) => tokens(count) / least,
      late: economical / at({ kind: "remaining", fraction: 0.1 }),
      compaction: economical / tokens(OWN_COMPACTION),
    };
  });
}

/** How thresholds that lie close together fare against the best one. */
function aroundTheBest(trace: Trace): Measure["detail"] {
  const [ratios] = ratiosOf([trace]);
  const close = CLOSE.map((tokens) => ratios?.fixed(tokens) ?? Number.NaN);
  return {
    worst_fixed_within_5_percent: `${close.filter((ratio) => ratio <= 1.05).length} of ${close.length}`,
    worst_fixed_mean: mean(close),
  };
}

function endedAt({ turns, ...trace }: Trace, share: number): Trace {
  return { ...trace, turns: turns.slice(0, Math.round(turns.length * share)) };
}

/** As if the program's cache had never lost what was sent before. */
function keptInCache({ turns, ...trace }: Trace): Trace {
  const kept = turns.map((turn, index): Trace["turns"][number] => {
    const before = turns[index - 1];
    const sent = before ? promptOf(before.usage) : 0;
    if (!before || turn.after !== undefined || !isMiss(sent, turn.usage.cacheRead)) return turn;
    const cacheRead = Math.min(sent, promptOf(turn.usage));
    const cacheWrite = promptOf(turn.usage) - cacheRead;
    const cacheWriteHour = turn.usage.cacheWriteHour ? cacheWrite : 0;
    return { ...turn, usage: { ...turn.usage, input: 0, cacheRead, cacheWrite, cacheWriteHour } };
  });
  return { ...trace, turns: kept };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
