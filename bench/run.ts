import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureChat } from "./chat.ts";
import { measureCommands } from "./commands.ts";
import { measureContainers } from "./containers.ts";
import { measureContinuity } from "./continuity.ts";
import { measureDashboard } from "./dashboard.ts";
import { measureFacts } from "./facts.ts";
import { measureFleet } from "./fleet.ts";
import { measureHandoff } from "./handoff.ts";
import { measureHook } from "./hook.ts";
import { measureJobs } from "./jobs.ts";
import type { Measure } from "./measure.ts";
import { measureJobsAsProcesses, measureJobsInOneProcess } from "./memory.ts";
import { measureNeededNext } from "./needed-next.ts";
import { measureRelay, measureRelayAtOnce } from "./relay.ts";
import { measureRuntimes } from "./runtimes.ts";
import { measureStore } from "./store.ts";
import { measurePage, measureStreams, type StreamsWanted } from "./streams.ts";
import { measureSwitch } from "./switch.ts";
import { measureThresholds } from "./thresholds.ts";
import { measureTracker } from "./tracker.ts";
import { measureTrackerJournal } from "./tracker-journal.ts";
import { measureVersion } from "./version.ts";
import { measureWatch } from "./watch.ts";
import { measureWorktree, measureWorktreesAtOnce } from "./worktree.ts";

interface Options extends StreamsWanted {
  /** Measure `needed-next` at other moments of each session, too. */
  cuts: boolean;
}

type Run = (transcripts: string | undefined, options: Options) => Promise<Measure | Measure[]>;

const measures: Record<string, Run> = {
  relay: measureRelay,
  "relay-at-once": measureRelayAtOnce,
  ...measureRuntimes,
  handoff: measureHandoff,
  switch: measureSwitch,
  tracker: measureTracker,
  "tracker-journal": measureTrackerJournal,
  facts: measureFacts,
  continuity: measureContinuity,
  "needed-next": measureNeededNext,
  thresholds: measureThresholds,
  version: measureVersion,
  commands: measureCommands,
  hook: measureHook,
  jobs: measureJobs,
  memory: measureJobsInOneProcess,
  "memory-processes": measureJobsAsProcesses,
  worktree: measureWorktree,
  "worktree-parallel": measureWorktreesAtOnce,
  watch: measureWatch,
  fleet: measureFleet,
  chat: measureChat,
  containers: measureContainers,
  store: measureStore,
  streams: (_, wanted) => measureStreams(wanted),
  page: measurePage,
  dashboard: measureDashboard,
};

/** What takes minutes and gigabytes is measured where it is named. */
const LARGE: ReadonlySet<string> = new Set(["store"]);

/** `npm run bench -- [beginning of a measure's name]… [folder of transcripts] [--cuts] [--streams <n>] [--seconds <n>]` */
async function bench(args: string[]): Promise<void> {
  const { values, positionals: words } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      cuts: { type: "boolean", default: false },
      streams: { type: "string", default: "10" },
      seconds: { type: "string", default: "10" },
    },
  });
  const { cuts } = values;
  const options = { cuts, streams: Number(values.streams), seconds: Number(values.seconds) };
  const names = Object.keys(measures);
  const wanted = words.filter((word) => names.some((name) => name.startsWith(word)));
  const [folder, ...rest] = words.filter((word) => !wanted.includes(word));
  if (rest.length > 0 || (folder !== undefined && !isFolder(folder))) {
    console.error(`${rest[0] ?? folder} is no measure and no folder. The measures: ${names.join(", ")}.`);
    process.exitCode = 2;
    return;
  }
  if (cuts && wanted.length > 0 && !wanted.some((word) => "needed-next".startsWith(word))) {
    console.error(`--cuts is for needed-next, which is not among what is to be measured.`);
    process.exitCode = 2;
    return;
  }
  // What this process makes goes on record beside its projects, not in the user's own state.
  const state = mkdtempSync(join(tmpdir(), "baton-bench-state-"));
  process.env.XDG_STATE_HOME = state;
  process.once("exit", () => rmSync(state, { recursive: true, force: true }));
  for (const [name, measure] of Object.entries(measures)) {
    if (wanted.length === 0 ? LARGE.has(name) : !wanted.some((word) => name.startsWith(word))) continue;
    try {
      for (const figure of [await measure(folder, options)].flat()) print(figure);
    } catch (error) {
      console.error(`${name} could not be measured: ${error instanceof Error ? error.stack : error}`);
      process.exitCode = 1;
    }
  }
}

function print({ name, value, unit, limit, least, detail }: Measure): void {
  const verdict = {
    ...(limit !== undefined && { limit, ok: value <= limit }),
    ...(least !== undefined && { least, ok: value >= least }),
  };
  const rounded = Object.entries(detail).map(([key, entry]) => [
    key,
    typeof entry === "number" ? round(entry) : entry,
  ]);
  const line = { name, value: round(value), unit, ...verdict, detail: Object.fromEntries(rounded) };
  console.log(JSON.stringify(line));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

await bench(process.argv.slice(2));
