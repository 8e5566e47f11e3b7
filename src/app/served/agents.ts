import { pausesIn } from "../../store/fleet/pauses.ts";
import { slotsIn } from "../../store/fleet/slots.ts";
import { queueEntries } from "../../store/queue.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import { sumsOfJobs } from "../../store/sums.ts";
import { usualIn } from "../fleet/usual.ts";
import { configOf } from "../project.ts";
import type { ServedProject } from "./projects.ts";

/** The agents of a project, as they are configured now, with what their jobs came to. */
export async function agentsIn({ key, project, store }: ServedProject) {
  const { agents } = await configOf(project);
  const usual = await usualIn(
    store,
    agents.map(({ name }) => name),
  );
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
        usual: { jobs: takes.jobs, durationMs: takes.durationMs, costUsd: takes.cost?.costUsd ?? null },
      }),
    };
  });
}
