import { z } from "zod";
import { project, time } from "./common.ts";

const item = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  priority: z
    .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
    .describe("1 is the most urgent"),
  labels: z.array(z.string()),
  author: z.string(),
  authorTrusted: z.boolean().optional().describe("whether it is somebody who may write, whose words count"),
  createdAt: time,
  agent: z.string().describe("who would take it"),
  schedule: z.string().optional(),
  state: z
    .enum([
      "take",
      "closed",
      "ignored",
      "claimed",
      "delivered",
      "failed",
      "not-ready",
      "excluded",
      "blocked",
      "assigned",
      "untrusted",
      "trouble",
      "held",
    ])
    .describe("`take`: it is next for its agent; otherwise why not"),
  why: z.string().optional().describe("the same in words"),
  job: z.string().optional().describe("the one that has it, or had it last"),
});

const filter = z.object({
  agent: z.string(),
  schedule: z.string().optional(),
  labels: z.object({ ready: z.string(), inProgress: z.string(), failed: z.string() }),
  state: z.string().optional().describe("in which an item must be"),
  exclude: z.array(z.string()).describe("labels of which an item may have none"),
  trust: z.enum(["collaborators", "anyone"]).describe("whose labels and words count"),
  attempts: z.number().describe("how many jobs may fail on one item"),
  pollMs: z.number(),
});

export const work = z
  .object({
    sources: z.array(
      z.object({
        project: z.string(),
        source: z.string(),
        agents: z.array(z.string()),
        filters: z.array(filter).describe("which items are taken, as it is configured"),
        polledAt: time.optional(),
        nextAt: time.optional(),
        budget: z
          .object({
            remaining: z.number().nullable(),
            limit: z.number().nullable(),
            resetsAt: z.string().nullable(),
          })
          .optional()
          .describe("how much the tracker still lets be asked"),
        problem: z.object({ why: z.string(), since: time }).optional(),
        items: z.array(item),
      }),
    ),
  })
  .meta({ id: "Work", description: "What would be taken from trackers, and why the rest is not" });

const name = z.string().min(1).max(200);

export const itemBody = z.strictObject({
  project,
  source: name.optional().describe("where the project has several"),
});
export const claimBody = itemBody.extend({ agent: name.optional() });
export const ignoreBody = itemBody.extend({ undo: z.boolean().optional() });

export const itemSteered = z
  .object({ source: z.string(), item: z.string(), title: z.string(), job: z.string().optional() })
  .meta({ id: "Item" });
