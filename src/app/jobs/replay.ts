import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Models } from "../../agents/agent.ts";
import { transcriptEvents } from "../../agents/claude/own/transcript.ts";
import type { AgentEvent } from "../../agents/events.ts";
import { atOwnPrices } from "../../agents/price.ts";
import { adapters } from "../../agents/registry.ts";
import type { Config } from "../../config/config.ts";
import type { Threshold } from "../../config/reader/threshold.ts";
import { USUAL_COSTS } from "../../context/economy.ts";
import { isAllSimulated } from "../../job/cost.ts";
import type { JournalEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { UsualRampUp } from "../../job/ramp-up.ts";
import { type HandoffBill, handoffBill } from "../../job/replay/bill.ts";
import { happened, type Replay, replay } from "../../job/replay/simulate.ts";
import { jobTrace, promptOf, type Trace, transcriptTrace } from "../../job/replay/trace.ts";
import { listJobs } from "../../store/job-list.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { rampUpsOf, usualHandoffMsOf, usualRampUpOf } from "../cost/ramp-up.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { eventsSoFar } from "./follow.ts";
import { namedOrNewest } from "./which.ts";

/** A threshold, as somebody wrote it. */
export interface NamedThreshold {
  name: string;
  threshold: Threshold;
}

/** Where none is named: what the configuration can say, from the usual one to half of the window. */
export const USUAL_THRESHOLDS = ["0.1", "0.2", "0.3", "0.4", "0.5", "economical"];

/** Fewer turns tell nothing about thresholds. */
const LEAST_TURNS = 2;
const NEWEST_JOBS = 20;
/** What a handoff took on the jobs that it was measured on, where nothing else is known. */
const USUAL_HANDOFF_MS = 20_000;

export function thresholdsIn(text: string): NamedThreshold[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "").map((name) => ({ name, threshold: thresholdIn(name) }));
}

function thresholdIn(name: string): Threshold {
  if (name === "economical") return { kind: "economical" };
  const figure = Number(name);
  if (figure > 0 && figure < 1) return { kind: "remaining", fraction: figure };
  if (Number.isSafeInteger(figure) && figure >= 1_000) return { kind: "tokens", tokens: figure };
  throw new UsageError(
    `${name} is not a threshold. Give what is left of the window (0.3), tokens in use (120000), or economical.`,
  );
}

/** The jobs and transcripts that are named, or else the newest jobs of the project. */
export async function replayed(
  project: Project,
  names: readonly string[],
  thresholds: readonly NamedThreshold[],
): Promise<Replay[]> {
  const config = await configOf(project);
  const traces = await tracesOf(project, names);
  const { models } = await adapters.claude();
  const told = traces.filter(({ trace }) => trace.turns.length >= LEAST_TURNS);
  const silent = traces.find(({ trace }) => trace.turns.length < LEAST_TURNS);
  if (silent && names.length > 0)
    throw new UsageError(`${silent.name} has too few answers with a token count to replay.`);
  return told.map((source) => {
    const priced = atOwnPrices(models, pricesOf(config, source.agent));
    return replayOf({ ...source, trace: withWindow(source.trace, models) }, thresholds, priced);
  });
}

function replayOf(
  { name, trace, rampUpTokens, handoffMs = USUAL_HANDOFF_MS, onSimulator = false }: Source,
  thresholds: readonly NamedThreshold[],
  models: Models,
): Replay {
  const costs = rampUpTokens === undefined ? USUAL_COSTS : { ...USUAL_COSTS, rampUpTokens };
  const terms = { models, costs, handoffMs };
  return {
    name,
    turns: trace.turns.length,
    window: trace.window,
    happened: happened(trace, terms),
    asHappened: replay(trace, { kind: "as-happened" }, terms),
    at: thresholds.map(({ name, threshold }) => ({
      name,
      ...replay(trace, { kind: "threshold", threshold }, terms),
    })),
    assumes: { ...costs, handoffMs },
    isMeasured: rampUpTokens !== undefined,
    onSimulator,
  };
}

/** A job with what its agent usually spends at a handoff, and what its handoffs cost and saved, where that is known. */
interface ShownJob {
  job: Job;
  usual?: UsualRampUp | undefined;
  bill?: HandoffBill | undefined;
}

/** A job of a project, by its id or the beginning of it; without one, the newest. */
export async function shownJob(project: Project, named: string | undefined): Promise<ShownJob> {
  await using store = await lookIntoStore(project);
  const job = await namedOrNewest(store, named);
  if (job.handoffs.length === 0) return { job };
  const { models } = await adapters.claude();
  // A file that cannot be read says nothing of prices, and the job can be shown all the same.
  const config = await configOf(project).catch(() => undefined);
  const trace = jobTrace(await journalOf(store, job.id));
  const bill = handoffBill(trace, atOwnPrices(models, config ? pricesOf(config, job.agent) : {}));
  const isMeasured = rampUpsOf(job).length > 0;
  return { job, bill, usual: isMeasured ? await usualRampUpOf(store, job.agent) : undefined };
}

async function journalOf(store: Store, id: string): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for await (const event of eventsSoFar(store, id, 0)) events.push(event);
  return events;
}

interface Source {
  name: string;
  agent?: string;
  trace: Trace;
  /** Measured on the agent's jobs, where there are enough. */
  rampUpTokens?: number | undefined;
  /** The same. */
  handoffMs?: number | undefined;
  onSimulator?: boolean;
}

async function tracesOf(project: Project, names: readonly string[]): Promise<Source[]> {
  const [transcripts, jobs] = [names.filter(isTranscript), names.filter((name) => !isTranscript(name))];
  const sources = await Promise.all(transcripts.map(transcriptSource));
  if (transcripts.length > 0 && jobs.length === 0) return sources;
  if (jobs.length === 0 && !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  const found =
    jobs.length === 0
      ? await listJobs(store, NEWEST_JOBS)
      : await Promise.all(jobs.map((name) => findJob(store, name)));
  for (const job of found) {
    const { id, agent } = job;
    const usual = await usualRampUpOf(store, agent);
    const trace = jobTrace(await journalOf(store, id));
    const handoffMs = await usualHandoffMsOf(store, agent);
    const onSimulator = isAllSimulated(job);
    sources.push({
      ...{ name: id, agent, trace, handoffMs, onSimulator },
      rampUpTokens: usual?.tokens ?? undefined,
    });
  }
  return sources;
}

function isTranscript(name: string): boolean {
  return /[/.]/.test(name);
}

async function transcriptSource(path: string): Promise<Source> {
  const file = resolve(path);
  if (!existsSync(file)) throw new UsageError(`There is no transcript ${path}.`);
  const events: AgentEvent[] = [];
  for await (const event of transcriptEvents(file)) {
    // What it said fills memory and tells nothing here.
    if (event.type === "response" || event.type === "compaction:end") events.push(event);
  }
  return { name: basename(file), trace: transcriptTrace(events, undefined) };
}

/** A transcript does not say which window its model was asked for with, but what it held. */
function withWindow(trace: Trace, models: Models): Trace {
  if (trace.window !== undefined) return trace;
  const model = trace.turns.at(-1)?.model;
  const known = model === undefined ? undefined : models.windowOf(model);
  const held = Math.max(...trace.turns.map(({ usage }) => promptOf(usage) + usage.output));
  return known !== undefined && held <= known
    ? { ...trace, window: known }
    : { ...trace, window: LONG_WINDOW };
}

const LONG_WINDOW = 1_000_000;

function pricesOf({ agents }: Config, name: string | undefined) {
  const agent = agents.find((candidate) => candidate.name === name) ?? agents[0];
  return agent?.prices ?? {};
}
