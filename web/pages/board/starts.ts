import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { fleet } from "../../data/fleet.ts";

/** When queued jobs would start, if what runs takes as long as it usually does. */
export function useStarts(isWanted: boolean): ReadonlyMap<string, string> {
  const queued = fleet.value?.projects.flatMap(({ queue }) => queue.map(({ job }) => job));
  const running = fleet.value?.projects.flatMap((project) => project.running.map(({ job }) => job));
  const { value } = useAsked(
    async (signal) => (isWanted ? api.getPlan({}, undefined, { signal }) : undefined),
    [isWanted, queued, running],
  );
  const runs = value?.projects.flatMap((project) => project.runs) ?? [];
  return new Map(runs.flatMap(({ job, starts }) => (job && starts ? [[job, starts]] : [])));
}
