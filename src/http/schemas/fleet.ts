import { z } from "zod";
import { scope, status, time } from "./common.ts";

export const queued = z
  .object({
    job: z.string(),
    agent: z.string(),
    priority: z.int(),
    position: z.int().describe("from 1"),
    queuedAt: time,
    after: z.array(z.string()).optional().describe("jobs that must be completed first"),
    reason: z.object({ code: z.string(), text: z.string() }).describe("why it waits"),
  })
  .meta({ id: "Queued" });

const servedProject = z.object({
  key: z.string().describe("by which requests name it"),
  name: z.string(),
  root: z.string().describe("its folder"),
});

const fleetOfProject = servedProject.extend({
  state: z.enum(["running", "draining", "not running"]),
  pid: z.int().optional(),
  host: z.string().optional(),
  since: time.optional(),
  slots: z.object({ taken: z.int(), total: z.int() }).optional(),
  limits: z
    .array(z.object({ account: z.string(), until: time, message: z.string() }))
    .optional()
    .describe("usage limits that hold jobs of this project"),
  configurationProblem: z
    .object({ problem: z.string(), since: time })
    .optional()
    .describe("why its files as they are now are not used"),
  chats: z
    .array(
      z.object({
        service: z.string(),
        state: z.enum(["connected", "connecting", "failed"]),
        pid: z.int(),
        since: time.optional(),
        problem: z.string().optional(),
      }),
    )
    .optional()
    .describe("the bots through which its agents talk"),
  work: z
    .array(
      z.object({
        source: z.string(),
        ready: z.int().describe("items that are next"),
        taken: z.int().describe("items that jobs here have"),
        polledAt: time.optional(),
        budget: z
          .object({
            remaining: z.number().nullable(),
            limit: z.number().nullable(),
            resetsAt: z.string().nullable(),
          })
          .optional(),
        problem: z.object({ why: z.string(), since: time }).optional(),
      }),
    )
    .optional()
    .describe("the trackers that work is taken from"),
  isPaused: z.boolean().describe("nothing starts from its queue, because somebody paused it"),
  counts: z.partialRecord(status, z.int()).describe("how many jobs are in each state"),
  running: z.array(z.object({ job: z.string(), agent: z.string(), since: time })),
  queue: z.array(queued),
});

export const fleet = z
  .object({
    at: time,
    version: z.string().describe("of Baton"),
    position: z.string().describe("where a stream can begin that misses nothing after this answer"),
    halted: z
      .object({ since: time, by: z.string() })
      .optional()
      .describe("nothing starts anywhere, until it is lifted"),
    projects: z.array(fleetOfProject),
  })
  .meta({ id: "Fleet" });

export const session = z
  .object({
    kind: z.enum(["token", "browser", "webhook"]),
    name: z.string(),
    scopes: z.array(scope),
    projects: z.array(servedProject),
    expiresAt: time.optional(),
    csrf: z.string().optional().describe("of a browser: what goes into `X-Baton-CSRF` with every change"),
  })
  .meta({ id: "Session", description: "Who asks, and what they may" });

export const signInBody = z.strictObject({ code: z.string().min(1).max(200) });
