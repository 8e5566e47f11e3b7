import { z } from "zod";
import { limit, project, scope, status, time } from "./common.ts";
import { queued } from "./fleet.ts";

export const ofProject = z.strictObject({ project });

export const token = z
  .object({
    id: z.string(),
    kind: z.enum(["token", "browser", "webhook"]),
    name: z.string(),
    scopes: z.array(scope),
    projects: z.array(z.string()).optional(),
    hook: z.string().optional().describe("the agent and the schedule that it calls"),
    maxJobsPerDay: z.int().optional(),
    maxCostUsdPerDay: z.number().optional(),
    createdAt: time,
    expiresAt: time.optional(),
    usedAt: time.optional(),
    state: z.enum(["valid", "expired", "revoked"]),
  })
  .meta({ id: "Token" });

export const tokens = z.object({ tokens: z.array(token) });

export const auditQuery = z.strictObject({
  before: z.coerce.number().int().min(1).optional().describe("what `next` said"),
  who: z.string().max(200).optional(),
  what: z
    .string()
    .max(200)
    .transform((text) => text.split(","))
    .optional()
    .describe("such as `cancelJob`; several, with commas between"),
  target: z.string().max(200).optional(),
  limit: limit(100, 1_000),
});

export const audit = z
  .object({
    entries: z.array(
      z.object({
        id: z.int(),
        at: time,
        who: z.string(),
        what: z.string(),
        target: z.string().nullable(),
        project: z.string().nullable(),
        origin: z.string().nullable(),
        outcome: z.string(),
      }),
    ),
    next: z.int().optional(),
  })
  .meta({ id: "Audit", description: "Who did what, the newest first" });

export const agents = z
  .object({
    agents: z.array(
      z.object({
        project: z.string(),
        name: z.string(),
        runtime: z.string(),
        model: z.string().optional(),
        workspace: z.string(),
        slots: z.object({ taken: z.int(), total: z.int() }),
        queued: z.int(),
        isPaused: z.boolean(),
        schedules: z.int(),
        counts: z.partialRecord(status, z.int()),
        usual: z
          .object({
            jobs: z.int(),
            durationMs: z.number(),
            costUsd: z.number().nullable(),
            handoffs: z.number(),
          })
          .optional()
          .describe("of its last jobs"),
        denied: z
          .array(z.object({ tool: z.string(), call: z.string(), times: z.int(), job: z.string() }))
          .describe("what its last jobs were denied most"),
      }),
    ),
  })
  .meta({ id: "Agents" });

export const agentConfig = z
  .object({
    agent: z.string(),
    files: z.array(z.string()),
    values: z.array(
      z.object({
        key: z.string(),
        value: z.unknown(),
        from: z.object({ file: z.string(), line: z.int() }).optional().describe("missing: built in"),
      }),
    ),
  })
  .meta({ id: "AgentConfig", description: "Every value that holds, and where it was written" });

export const why = z
  .object({
    id: z.string(),
    status,
    pauseCode: z.string().optional(),
    because: z.string().optional().describe("in a sentence, what the events do not say"),
    queued: queued.optional(),
    events: z.array(
      z.object({ seq: z.int(), at: time, type: z.string(), title: z.string(), text: z.string() }),
    ),
  })
  .meta({ id: "Why", description: "The events that a status rests on" });

export const checkpoints = z
  .object({
    checkpoints: z.array(
      z.object({ number: z.int(), ref: z.string(), commit: z.string(), at: z.string(), subject: z.string() }),
    ),
  })
  .meta({ id: "Checkpoints" });

const checkpoint = z.coerce.number().int().min(1).optional();

export const diffQuery = z.strictObject({
  from: checkpoint.describe("the number of a checkpoint; default: where the job began"),
  to: checkpoint.describe("the number of a checkpoint; default: as it is now"),
  file: z.string().max(4_096).optional().describe("one of `files`: its patch is in the answer"),
});

export const diff = z
  .object({
    job: z.string(),
    from: z.string().describe("a commit"),
    to: z.string().describe("in words"),
    note: z.string().optional(),
    files: z.array(z.object({ path: z.string(), added: z.int().nullable(), removed: z.int().nullable() })),
    patch: z.string().optional().describe("of the file that was asked for"),
    cut: z.int().optional().describe("so many bytes of the patch are left out"),
  })
  .meta({ id: "Diff" });

export const handoff = z
  .object({
    job: z.string(),
    number: z.int(),
    document: z.string().describe("Markdown"),
    account: z.string().describe("what the session said, in Markdown"),
    facts: z.string().describe("what Baton saw for itself, in Markdown"),
    warning: z.string().optional(),
  })
  .meta({ id: "Handoff" });

export const exported = z
  .object({ job: z.string(), html: z.string().describe("one page that needs nothing else") })
  .meta({ id: "ExportedJob" });

export const workspacesQuery = ofProject.extend({
  sizes: z.stringbool().default(false).describe("measure each worktree"),
});

export const workspaces = z
  .object({
    workspaces: z.array(
      z.object({
        project: z.string(),
        job: z.string(),
        status: z.string(),
        has: z.enum(["worktree", "branch"]).nullable(),
        path: z.string().optional(),
        branch: z.string().nullish(),
        base: z.string().nullish(),
        baseBranch: z.string().nullish(),
        repo: z.string().nullish(),
        ports: z.array(z.int()).optional(),
        action: z.string(),
        reason: z.string().describe("why it is kept, or removed"),
        size: z
          .object({ bytes: z.number(), isWhole: z.boolean().describe("false: it is at least so large") })
          .optional(),
      }),
    ),
  })
  .meta({ id: "Workspaces" });

export const ownSessions = z
  .object({
    sessions: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        state: z.string(),
        project: z.string(),
        cwd: z.string(),
        startedAt: z.string(),
        seenAt: z.string().optional(),
        title: z.string().optional(),
        prompt: z.string().optional(),
        pane: z.object({ name: z.string().optional() }).optional(),
        context: z
          .object({
            tokens: z.number(),
            window: z.number(),
            pending: z.number().optional(),
            turns: z.number(),
            turnsLeft: z.number().optional(),
            model: z.string().optional(),
            source: z.enum(["transcript", "status-line", "estimate"]),
          })
          .nullable(),
        handoffAt: z.number().optional().describe("the tokens at which it hands off, where it does"),
        handoff: z.object({ state: z.string() }).nullable(),
      }),
    ),
  })
  .meta({ id: "OwnSessions", description: "As `baton status --json` has them" });

export const reloaded = z.object({
  projects: z.array(z.object({ project: z.string(), outcome: z.string(), problem: z.string().optional() })),
});
