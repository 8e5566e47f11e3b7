import { z } from "zod";
import { limit, project, time } from "./common.ts";

const fire = z.object({
  agent: z.string(),
  schedule: z.string(),
  due: time,
  firstDue: time.optional(),
  count: z.int(),
  outcome: z.enum(["ran", "queued", "looking", "looked", "skipped", "missed", "coalesced"]),
  reason: z.string().optional(),
  job: z.string().optional(),
});

export const schedules = z
  .object({
    schedules: z.array(
      z.object({
        project: z.string(),
        agent: z.string(),
        name: z.string(),
        when: z.string(),
        timezone: z.string().optional(),
        state: z.enum(["on", "paused", "off"]),
        pausedUntil: time.optional(),
        overlap: z.enum(["queue", "skip", "parallel"]),
        catchUp: z.enum(["latest", "skip", "all"]),
        catchUpWindowMs: z.number(),
        next: z.string().optional(),
        upcoming: z.array(time).describe("the next three"),
        week: z.array(time).describe("all of the next seven days, up to sixty"),
        last: fire.optional(),
        usual: z
          .object({ jobs: z.int(), durationMs: z.number(), costUsd: z.number().nullable() })
          .optional()
          .describe("of its last jobs"),
      }),
    ),
  })
  .meta({ id: "Schedules" });

export const pauseScheduleBody = z.strictObject({
  project,
  until: time.optional().describe("default: until it is resumed"),
});

export const firesQuery = z.strictObject({
  project,
  agent: z.string().max(200).optional(),
  schedule: z.string().max(200).optional(),
  before: z.string().max(2_000).optional().describe("what `next` of the page before said"),
  limit: limit(30, 500),
});

export const fires = z
  .object({
    fires: z.array(fire.extend({ project: z.string() })),
    next: z.string().optional().describe("for `before`, if there are older ones"),
  })
  .meta({ id: "Fires" });

const plannedRun = z.looseObject({
  agent: z.string(),
  job: z.string().optional(),
  starts: time.optional().describe("missing where it would wait beyond these hours"),
});

export const plan = z
  .object({
    projects: z.array(
      z.object({
        ...{ project: z.string(), runs: z.array(plannedRun), notRun: z.array(z.unknown()) },
        looks: z.array(z.unknown()).describe("due times at which a schedule looks for work"),
      }),
    ),
  })
  .meta({ id: "Plan", description: "As `baton plan --json`, by project" });
