import { pausesIn } from "../../store/fleet/pauses.ts";
import { slotsIn } from "../../store/fleet/slots.ts";
import { listJobs } from "../../store/job-list.ts";
import { queueEntries } from "../../store/queue.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { sumsOfJobs } from "../../store/sums.ts";
import { type Usual, usualIn } from "../fleet/usual.ts";
import { configOf } from "../project.ts";
import type { ServedProject } from "./projects.ts";

/** The agents of a project, as they are configured now, with what their jobs came to. */
export async function agentsIn({ key, project, store }: ServedProject) {
  const { agents } = await configOf(project);
  const names = agents.map(({ name }) => name);
  const usual = await usualIn(store, names);
  const denied = await mostDenied(store, names);
  const entries = await queueEntries(store);
  const sums = await sumsOfJobs(store, {});
  using state = lookIntoFleetState();
  const slots = state ? slotsIn(state).filter((slot) => slot.project === project.root) : [];
  const pauses = state ? pausesIn(state).filter((pause) => pause.project === project.root) : [];
  return agents.map(({ name, runtime, model, workspace, instances, schedules }) => {
    const of = <T extends { agent: string }>(all: readonly T[]) => all.filter((each) => each.agent === name);
    const takes = usual(name);
    const counts: Record<string, number> = {};
    for (const { status, jobs } of of(sums)) counts[status] = (counts[status] ?? 0) + jobs;
    return {
      project: key,
      name,
      runtime,
      ...(model !== undefined && { model }),
      workspace: workspace.strategy,
      slots: { taken: of(slots).length, total: instances.maxConcurrent },
      queued: of(entries).filter(({ status }) => status === "queued").length,
      isPaused: pauses.some(({ agent }) => agent === null || agent === name),
      schedules: schedules.length,
      counts,
      ...(takes && {
        usual: { ...usualView(takes), handoffs: takes.handoffs },
      }),
      denied: denied.get(name) ?? [],
    };
  });
}

export function usualView({ jobs, durationMs, cost }: Usual) {
  return { jobs, durationMs, costUsd: cost?.costUsd ?? null };
}

const LAST_JOBS = 50;
const SHOWN_CALLS = 5;

/** What the last jobs of each agent were denied most, and the newest job of each. */
async function mostDenied(store: Store, agents: readonly string[]) {
  const found = new Map<string, DeniedOften[]>();
  for (const agent of agents) {
    const calls = new Map<string, DeniedOften>();
    for (const { id, denied = [] } of await listJobs(store, LAST_JOBS, { agent })) {
      for (const { tool, summary: call, times } of denied) {
        const key = JSON.stringify([tool, call]);
        const known = calls.get(key) ?? { tool, call, times: 0, job: id };
        calls.set(key, { ...known, times: known.times + times });
      }
    }
    const often = [...calls.values()].toSorted((a, b) => b.times - a.times);
    found.set(agent, often.slice(0, SHOWN_CALLS));
  }
  return found;
}

interface DeniedOften {
  tool: string;
  call: string;
  times: number;
  job: string;
}
