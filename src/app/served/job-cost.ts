import type { JobEvent } from "../../job/events.ts";
import { eventPage } from "../../store/events.ts";
import type { FoundJob } from "./jobs.ts";

/** Of a job with more responses, the newest are counted. */
const MOST_EVENTS = 20_000;

interface ModelCost {
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

/** What a job cost, by session as its program told it, and by model as its responses add up. */
export async function costIn({ where, job }: FoundJob) {
  const types = ["response", "subagent:response"];
  const { events, next } = await eventPage(where.store, job.id, MOST_EVENTS, { types, order: "desc" });
  const sessions = job.sessions.map(({ id, ordinal, agent, model, turns, costUsd, costBasis }) => ({
    session: id,
    ordinal,
    agent: agent ?? job.agent,
    model,
    turns,
    costUsd: costBasis === "unknown" ? null : costUsd,
    estimated: costBasis === "estimated",
  }));
  return {
    job: job.id,
    sessions,
    models: byModel(events),
    ...(next !== undefined && { cut: true as const }),
  };
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
