import { type ModelCost, modelsIn } from "../cost/models.ts";
import type { FoundJob } from "./jobs.ts";

/** What a job cost, by session as its program told it, and by model as its responses add up. */
export async function costIn({ where, job }: FoundJob) {
  const { models, isCut }: { models: ModelCost[]; isCut: boolean } = await modelsIn(where.store, job);
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
    models,
    ...(isCut && { cut: true as const }),
  };
}
