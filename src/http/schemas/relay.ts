import { z } from "zod";
import { time } from "./common.ts";

const ms = z.number().describe("milliseconds at work since the session began");

const lane = z.object({
  session: z.string(),
  ordinal: z.int(),
  agent: z.string(),
  model: z.string().nullable(),
  window: z.number().nullable(),
  mark: z.number().nullable().describe("the tokens at which it hands off"),
  startedAt: time,
  end: z.string().nullable().describe("null while it is the current one"),
  turns: z.int(),
  costUsd: z.number(),
  ms,
  points: z.array(z.object({ ms, tokens: z.number(), isEstimate: z.boolean().optional() })),
  gaps: z
    .array(
      z.object({
        ms,
        lastedMs: z.number(),
        because: z.enum(["limit", "retry", "person", "stopped", "asleep"]),
      }),
    )
    .describe("time in which nothing was done, cut out"),
  checkpoints: z.array(z.object({ ms, number: z.int() })),
});

export const relay = z.object({ job: z.string(), lanes: z.array(lane) }).meta({ id: "Relay" });
