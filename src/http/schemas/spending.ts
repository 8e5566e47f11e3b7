import { z } from "zod";
import { limit, project, time } from "./common.ts";
import { usage } from "./jobs.ts";

export const jobCost = z
  .object({
    job: z.string(),
    sessions: z.array(
      z.object({
        session: z.string(),
        ordinal: z.int(),
        agent: z.string(),
        model: z.string().nullable(),
        turns: z.int(),
        costUsd: z
          .number()
          .nullable()
          .describe("including what a simulated model would have cost; null if unknown"),
        estimated: z.boolean(),
      }),
    ),
    models: z.array(
      usage.extend({
        model: z.string(),
        by: z.enum(["agent", "subagents"]),
        responses: z.int(),
        costUsd: z.number().nullable().describe("by list prices; null where they are not known"),
      }),
    ),
    cut: z.literal(true).optional().describe("only its newest responses are counted in `models`"),
  })
  .meta({ id: "JobCost" });

export const costQuery = z.strictObject({
  project,
  by: z.enum(["day", "agent", "job", "model"]).default("day"),
  since: time.optional(),
  limit: limit(100, 1_000),
});

const spent = {
  responses: z.number(),
  usage: z
    .object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
    .nullable(),
  costUsd: z.number().nullable(),
  costEstimated: z.boolean(),
  simulatedCostUsd: z.number().optional(),
  ofUnknownCost: z.number(),
};

export const cost = z
  .object({
    projects: z.array(
      z.object({
        project: z.string(),
        by: z.string(),
        rows: z.array(
          z.object({
            day: z.string().optional(),
            agent: z.string().optional(),
            job: z.string().optional(),
            model: z.string().optional(),
            ...spent,
          }),
        ),
        total: z.object(spent),
      }),
    ),
  })
  .meta({ id: "Cost", description: "As `baton cost --by … --json` prints it, by project" });

export const budgets = z
  .object({
    budgets: z.array(
      z.object({
        project: z.string(),
        scope: z.string(),
        agent: z.string().optional(),
        per: z.string(),
        costUsd: z.number(),
        action: z.string(),
        simulated: z.boolean(),
        projects: z.array(z.string()).optional(),
        spentUsd: z.number().optional(),
        spentEstimated: z.boolean().optional(),
        usedUp: z.boolean().optional(),
        from: time.optional(),
        to: time.optional(),
        problem: z.string().optional().describe("why what is left of it is not known"),
      }),
    ),
  })
  .meta({ id: "Budgets" });

export const timeQuery = z.strictObject({
  project,
  agent: z.string().max(200).optional(),
  since: time.optional(),
});

const split = z.object({ jobs: z.int(), timeMs: z.record(z.string(), z.number()), unknown: z.int() });

export const times = z
  .object({
    projects: z.array(
      z.object({
        project: z.string(),
        since: time.nullable(),
        agents: z.array(split.extend({ agent: z.string() })),
        total: split,
      }),
    ),
  })
  .meta({ id: "Times", description: "Where the time of jobs went, as `baton time --json`, by project" });

export const accounts = z
  .object({
    accounts: z.array(
      z.object({
        account: z.string().describe("as people know it"),
        state: z.enum(["limited", "one-by-one", "over"]),
        until: time,
        message: z.string(),
      }),
    ),
  })
  .meta({ id: "Accounts" });
