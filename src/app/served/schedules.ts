import { type FiresWanted, firesOf } from "../../store/schedules.ts";
import { scheduleNamed } from "../fleet/schedules.ts";
import { type FireView, fireView } from "../fleet/schedules-view.ts";
import { trustedAgent } from "../jobs/ready.ts";
import { configOf } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { positionIn, written } from "./position.ts";
import type { ServedProject } from "./projects.ts";

/** What a schedule asks of its agent. */
export async function schedulePrompt(
  { project }: ServedProject,
  agent: string,
  name: string,
): Promise<string | undefined> {
  return scheduleNamed(await trustedAgent(await configOf(project), agent), name).prompt;
}

/** What became of the due times of these projects, the newest first. `before`: where the page before ended. */
export async function firesIn(
  projects: readonly ServedProject[],
  wanted: Omit<FiresWanted, "before">,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<{ fires: (FireView & { project: string })[]; next?: string }> {
  const reached = before === undefined ? new Map<string, number>() : positionIn(before, projects);
  if (!reached) throw new UsageError("That is not where a page ended. Send what `next` said.");
  const lists = await Promise.all(
    projects.map(async ({ key, store }) => {
      const id = reached.get(key);
      return { key, rows: await firesOf(store, limit + 1, { ...wanted, ...(id && { before: id }) }) };
    }),
  );
  const fires: (FireView & { project: string })[] = [];
  while (fires.length < limit) {
    // Of each project they stay in the order in which they were recorded.
    const [newest] = lists
      .filter(({ rows }) => rows.length > 0)
      .sort((a, b) => ((a.rows[0]?.due ?? "") < (b.rows[0]?.due ?? "") ? 1 : -1));
    const row = newest?.rows.shift();
    if (!newest || !row) return { fires };
    reached.set(newest.key, row.id);
    fires.push({ ...fireView(row), project: newest.key });
  }
  return { fires, ...(lists.some(({ rows }) => rows.length > 0) && { next: written(reached) }) };
}
