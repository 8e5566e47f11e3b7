import { z } from "zod";
import { time } from "./common.ts";

const room = z.object({ free: z.number(), total: z.number() }).describe("in bytes");

export const server = z
  .object({
    version: z.string().describe("of Baton"),
    node: z.string(),
    host: z.string(),
    pid: z.int(),
    since: time,
    web: z.object({
      url: z.string(),
      host: z.string().describe("the address that it listens on"),
      tls: z.boolean(),
      allowedHosts: z.array(z.string()),
      allowInsecure: z.boolean(),
      sessionExpiryMs: z.number(),
    }),
    memory: room,
    load: z
      .object({ minute: z.number(), processors: z.int() })
      .describe("how many processes wanted a processor in the last minute, and how many there are"),
    projects: z.array(
      z.object({
        project: z.string(),
        name: z.string(),
        root: z.string(),
        store: z.object({ path: z.string(), bytes: z.number() }),
        disk: room.optional(),
        maintenance: z
          .object({
            worktreesEveryMs: z.number().optional(),
            worktreesKeptMs: z.number(),
            journalsKeptMs: z.number().optional(),
          })
          .optional()
          .describe("missing where the configuration cannot be read"),
        problem: z.string().optional().describe("of its configuration"),
      }),
    ),
  })
  .meta({ id: "Server" });

export const doctor = z
  .object({
    projects: z.array(
      z.object({
        project: z.string(),
        findings: z.array(
          z.object({
            name: z.string(),
            state: z.enum(["ok", "absent", "warn", "fail"]),
            found: z.string(),
            fix: z.string().optional(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "Doctor" });
