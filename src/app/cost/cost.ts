import type { TokenUsage } from "../../agents/events.ts";
import { costFigure, costOfAll, paidUsd, sumOfUsage, usageFigure } from "../../job/cost.ts";
import type { CostBasis, Job } from "../../job/job.ts";
import { isFarAbove, type RampUp, type UsualRampUp } from "../../job/ramp-up.ts";
import { rampUpView, usualRampUpView } from "../../job/view.ts";
import type { Store } from "../../store/store.ts";
import { type JobSum, sumsOfJobs } from "../../store/sums.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";
import { newestHandedOff, rampUpsOf, usualIn } from "./ramp-up.ts";

/** What the jobs of an agent came to, or of all of them. */
export interface Spending {
  jobs: number;
  turns: number;
  /** Null where there were answers, and no program said what they took. */
  usage: TokenUsage | null;
  /** Of the jobs whose cost is known. */
  costUsd: number;
  costBasis: CostBasis;
  /** The part of `costUsd` that nobody paid. */
  simulatedUsd?: number;
  /** How many jobs have a cost that is not known, or not in full. */
  unknown: number;
}

export interface AgentCost extends Spending {
  agent: string;
  rampUp: AgentRampUp;
}

/** What its handoffs came to, in the newest jobs that had any. */
interface AgentRampUp {
  /** How many were measured. */
  handoffs: number;
  usual: UsualRampUp | undefined;
  /** By list prices, of the turns before the first new work: as far as it is known. */
  costUsd: number;
  readAgain: number;
  repeated: number;
  redone: number;
  /** The most frequent first. */
  files: { path: string; handoffs: number }[];
  farAbove: { job: string; number: number; rampUp: RampUp }[];
}

export interface ProjectCost {
  agents: AgentCost[];
  total: Spending;
}

/** How many files are named that sessions read again. */
const FILES_SHOWN = 5;

/** What the jobs of a project have cost, by agent, the most expensive first. */
export async function projectCost(project: Project): Promise<ProjectCost> {
  if (!hasStore(project)) return costOf([], () => []);
  await using store = await lookIntoStore(project);
  return await costInStore(store);
}

export async function costInStore(store: Store): Promise<ProjectCost> {
  const sums = await sumsOfJobs(store);
  const handedOff = new Map<string, Job[]>();
  for (const agent of new Set(sums.map(({ agent }) => agent))) {
    handedOff.set(agent, await newestHandedOff(store, agent));
  }
  return costOf(sums, (agent) => handedOff.get(agent) ?? []);
}

type Sum = Pick<JobSum, "agent" | "costBasis" | "jobs" | "turns" | "usage" | "costUsd" | "simulatedUsd">;

/** `handedOff`: the newest jobs of an agent in which something was, the newest first. */
export function costOf(sums: readonly Sum[], handedOff: (agent: string) => readonly Job[]): ProjectCost {
  const agents = [...Map.groupBy(sums, ({ agent }) => agent)].map(([agent, its]) => ({
    agent,
    ...spending(its),
    rampUp: agentRampUp(handedOff(agent)),
  }));
  return {
    agents: agents.toSorted((a, b) => paidUsd(b) - paidUsd(a) || b.costUsd - a.costUsd),
    total: spending(sums),
  };
}

/** What several projects have spent together. */
export function togetherSpent(totals: readonly Spending[]): Spending {
  const turns = totals.reduce((sum, each) => sum + each.turns, 0);
  const usage = totals.map((each) => each.usage ?? NO_USAGE).reduce(sumOfUsage, NO_USAGE);
  return {
    jobs: totals.reduce((sum, { jobs }) => sum + jobs, 0),
    turns,
    usage: usageFigure(usage, turns),
    ...costOfAll(totals),
    unknown: totals.reduce((sum, { unknown }) => sum + unknown, 0),
  };
}

/** What `baton cost --json` prints: its keys are a promise to users. */
export function projectCostView({ agents, total }: ProjectCost) {
  return {
    agents: agents.map(({ agent, rampUp, ...spent }) => ({
      agent,
      ...spendingView(spent),
      rampUp: {
        handoffs: rampUp.handoffs,
        ...(rampUp.usual && { median: usualRampUpView(rampUp.usual) }),
        costEstimateUsd: rampUp.costUsd,
        filesReadAgain: rampUp.readAgain,
        commandsRepeated: rampUp.repeated,
        editsRedone: rampUp.redone,
        readAgainMost: rampUp.files,
        farAboveMedian: rampUp.farAbove.map(({ job, number, rampUp }) => ({
          job,
          number,
          ...rampUpView(rampUp),
        })),
      },
    })),
    total: spendingView(total),
  };
}

export function spendingView({ jobs, turns, usage, unknown, ...cost }: Spending) {
  const isKnown = jobs === 0 || unknown < jobs;
  const { costUsd, isEstimate, simulatedUsd } = costFigure(cost);
  return {
    jobs,
    turns,
    usage,
    costUsd: isKnown ? costUsd : null,
    costEstimated: isKnown && isEstimate,
    ...(simulatedUsd !== undefined && { simulatedCostUsd: simulatedUsd }),
    jobsOfUnknownCost: unknown,
  };
}

function spending(sums: readonly Sum[]): Spending {
  const known = sums.filter(({ costBasis }) => costBasis !== "unknown");
  const jobs = countOf(sums);
  const turns = sums.reduce((sum, each) => sum + each.turns, 0);
  const usage = sums.map((each) => each.usage).reduce(sumOfUsage, NO_USAGE);
  return {
    jobs,
    turns,
    usage: usageFigure(usage, turns),
    ...costOfAll(known),
    unknown: jobs - countOf(known),
  };
}

const countOf = (sums: readonly Sum[]) => sums.reduce((sum, { jobs }) => sum + jobs, 0);

const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function agentRampUp(jobs: readonly Job[]): AgentRampUp {
  const usual = usualIn(jobs);
  const all = jobs.flatMap(rampUpsOf);
  const sum = (figure: (rampUp: RampUp) => number) => all.reduce((total, one) => total + figure(one), 0);
  const paths = Map.groupBy(
    all.flatMap(({ readAgain }) => readAgain.names),
    (path) => path,
  );
  const files = [...paths].map(([path, times]) => ({ path, handoffs: times.length }));
  return {
    handoffs: all.length,
    usual,
    costUsd: sum(({ costUsd }) => costUsd ?? 0),
    readAgain: sum(({ readAgain }) => readAgain.count),
    repeated: sum(({ repeated }) => repeated.count),
    redone: sum(({ redone }) => redone.count),
    files: files.toSorted((a, b) => b.handoffs - a.handoffs).slice(0, FILES_SHOWN),
    farAbove: jobs.flatMap(({ id: job, handoffs }) =>
      handoffs.flatMap(({ number, rampUp }) =>
        rampUp && isFarAbove(rampUp, usual) ? [{ job, number, rampUp }] : [],
      ),
    ),
  };
}
