import type { JobEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { eventPage } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";

/** Of a job with more responses, the newest are counted. */
const MOST_EVENTS = 20_000;

export interface ModelCost {
  model: string;
  by: "agent" | "subagents";
  responses: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** By list prices; null where they are not known. */
  costUsd: number | null;
}

/** What the responses of a job add up to, by model. `isCut`: there are more than were counted. */
export async function modelsIn(store: Store, job: Job): Promise<{ models: ModelCost[]; isCut: boolean }> {
  const types = ["response", "subagent:response"];
  const { events, next } = await eventPage(store, job.id, MOST_EVENTS, { types, order: "desc" });
  return { models: byModel(events), isCut: next !== undefined };
}

function byModel(events: readonly JobEvent[]): ModelCost[] {
  const all = new Map<string, ModelCost>();
  for (const event of events) {
    if (event.type !== "response" && event.type !== "subagent:response") continue;
    const by = event.type === "response" ? "agent" : "subagents";
    const key = `${by} ${event.model}`;
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = event.usage ?? {};
    const before = all.get(key);
    const costUsd = before?.costUsd === null || event.costUsd === undefined ? null : event.costUsd;
    all.set(key, {
      model: event.model,
      by,
      responses: (before?.responses ?? 0) + 1,
      input: (before?.input ?? 0) + input,
      output: (before?.output ?? 0) + output,
      cacheRead: (before?.cacheRead ?? 0) + cacheRead,
      cacheWrite: (before?.cacheWrite ?? 0) + cacheWrite,
      costUsd: costUsd === null ? null : (before?.costUsd ?? 0) + costUsd,
    });
  }
  return [...all.values()].toSorted((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0));
}
