import { z } from "zod";
import { flag, limit, project, status, time } from "./common.ts";
import { queued } from "./fleet.ts";

export const jobRow = z
  .object({
    id: z.string(),
    project: z.string(),
    agent: z.string(),
    runsOn: z.string().optional(),
    status,
    pauseCode: z.string().optional(),
    title: z.string().describe("the item that it took from a tracker, or else the first line of its request"),
    source: z.object({
      kind: z.enum(["person", "schedule", "item", "session", "conversation"]),
      name: z.string().optional(),
    }),
    epic: z.string().optional(),
    seq: z.int(),
    attempt: z.int(),
    createdAt: time,
    updatedAt: time,
    finishedAt: time.optional(),
    model: z.string().optional(),
    sessions: z.int(),
    handoffs: z.int(),
    turns: z.int(),
    context: z
      .object({
        tokens: z.int(),
        window: z.int(),
        mark: z.int().describe("the tokens at which it hands off"),
        estimated: z.boolean().optional(),
        turnsLeft: z.int().optional(),
      })
      .optional(),
    tool: z.object({ name: z.string(), summary: z.string(), since: time }).optional(),
    waitsUntil: time.optional(),
    error: z.string().optional(),
    costUsd: z.number().nullable(),
    costEstimated: z.boolean().optional(),
    simulatedCostUsd: z.number().optional().describe("what nobody paid"),
    costLimitUsd: z.number().optional(),
    branch: z.string().optional(),
    pullRequest: z.string().optional(),
    denied: z.int().optional(),
  })
  .meta({ id: "JobRow", description: "A job in a list of many, in a kilobyte at most" });

export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

const sessionOfJob = z.object({
  id: z.string(),
  ordinal: z.int(),
  agent: z.string(),
  runtime: z.string().optional(),
  model: z.string().nullable(),
  contextWindow: z.number().nullable(),
  peakTokens: z.number().nullable(),
  peakIsEstimate: z.literal(true).optional(),
  turns: z.int(),
  endReason: z.string().nullable(),
});

const switchOfJob = z.object({
  at: time,
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  message: z.string(),
  until: time.optional(),
});

const handoffOfJob = z.object({
  number: z.int(),
  storedAt: time,
  fromSession: z.string(),
  toSession: z.string().nullable(),
  trigger: z.string(),
  source: z.string(),
  outcome: z.string(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean() })),
  tokens: z.number(),
  contextWindow: z.number(),
  percent: z.number(),
  documentPath: z.string(),
  durationMs: z.number(),
  rampUp: z
    .looseObject({
      filesReadAgain: z.object({ count: z.int(), paths: z.array(z.string()) }),
      commandsRepeated: z.object({ count: z.int(), commands: z.array(z.string()) }),
      editsRedone: z.object({ count: z.int(), paths: z.array(z.string()) }),
      state: z.string(),
      turns: z.int(),
      tokens: z.number().nullable(),
      costEstimateUsd: z.number().nullable(),
    })
    .nullable(),
});

const workspaceOfJob = z.object({
  path: z.string(),
  branch: z.string().optional(),
  base: z.string().optional().describe("the commit that it began from"),
  strategy: z.string().optional(),
  state: z.string().optional(),
  repo: z.string().optional(),
  baseBranch: z.string().nullish(),
  ports: z.array(z.int()).optional(),
  pushed: z.string().optional(),
  pullRequest: z.string().optional(),
  reason: z.string().optional().describe("why it is kept"),
});

export const message = z
  .object({
    id: z.int(),
    job: z.string(),
    text: z.string(),
    at: z.enum(["boundary", "turn", "end"]).describe("when its agent hears it"),
    sentAt: time,
  })
  .meta({ id: "Message", description: "What the agent of a job was sent and has not heard yet" });

/** Keys that a later version adds are in it before they are listed here. */
export const job = z
  .object({
    id: z.string(),
    project: z.string(),
    agent: z.string(),
    runsOn: z.string(),
    status,
    prompt: z.string(),
    seq: z.int(),
    attempt: z.int(),
    workspace: workspaceOfJob.nullable(),
    container: z
      .looseObject({ engine: z.string(), image: z.string().optional(), deniedHosts: z.int() })
      .optional(),
    sessions: z.array(sessionOfJob),
    handoffs: z.array(handoffOfJob),
    usage: usage.nullable().describe("null where its programs did not say what their answers took"),
    switches: z.array(switchOfJob).optional(),
    conversation: z
      .object({
        service: z.enum(["slack", "discord", "terminal"]),
        channel: z.string(),
        by: z.object({ id: z.string(), name: z.string() }),
        url: z.string().optional(),
      })
      .optional()
      .describe("with people in a chat service: where it began, and who began it"),
    costUsd: z.number().nullable(),
    costEstimated: z.boolean(),
    simulatedCostUsd: z.number().optional().describe("what nobody paid"),
    timeMs: z
      .record(z.string(), z.number().optional())
      .optional()
      .describe("where its time went, in milliseconds"),
    todos: z.array(z.object({ id: z.string(), text: z.string(), status: z.string() })).optional(),
    result: z.string().optional(),
    error: z.string().optional(),
    createdAt: time,
    updatedAt: time,
    finishedAt: time.optional(),
    messages: z.array(message).optional(),
    queued: queued.optional(),
  })
  .meta({ id: "Job", description: "As `baton show --json` prints it, with its project" });

export const jobsQuery = z.strictObject({
  project,
  status: z
    .string()
    .max(200)
    .transform((text) => text.split(","))
    .pipe(z.array(status))
    .optional()
    .describe("one, or several with commas between"),
  agent: z.string().max(200).optional(),
  epic: z.string().max(200).optional(),
  text: z.string().min(3).max(200).optional().describe("what its request contains"),
  file: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("what the path of a file contains that a tool of its agent wrote"),
  since: time.optional().describe("only those created since"),
  limit: limit(50, 200),
  after: z.string().max(100).optional().describe("what `next` of the page before said"),
  whole: flag.describe("`true`: each as a `Job` in place of a `JobRow`"),
});

export const jobPage = z
  .object({
    jobs: z.array(z.union([jobRow, job])),
    next: z.string().optional().describe("where the next page begins, if there is one"),
    position: z.string().describe("where a stream can begin that misses nothing after this answer"),
  })
  .meta({ id: "JobPage" });

export const event = z
  .object({ seq: z.int(), at: time, job: z.string(), attempt: z.int(), type: z.string() })
  .meta({ id: "Event", description: "As `baton logs --json` prints it" });

export const eventHead = z
  .object({
    seq: z.int(),
    at: time,
    attempt: z.int(),
    type: z.string(),
    call: z.string().optional().describe("of a tool: what its beginning and its end share"),
    subagent: z.string().optional().describe("of a subagent's call: which one"),
    tone: z.string().optional(),
    title: z.string().optional().describe("what happened, in Baton's words"),
    text: z.string().optional().describe("somebody else's words, cut to a line"),
    bytes: z.int().describe("of the whole event"),
    event: event.optional().describe("the whole of it, where it is small"),
  })
  .meta({ id: "EventHead" });

export const eventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe("those after this number, oldest first"),
  before: z.coerce.number().int().min(1).optional().describe("the newest of those before this number"),
  kinds: z
    .string()
    .max(1_000)
    .transform((text) => text.split(","))
    .optional()
    .describe("types of events, with commas between"),
  limit: limit(100, 500),
});

export const eventPage = z
  .object({
    job: z.string(),
    seq: z.int().describe("of the job's newest event"),
    events: z.array(eventHead).describe("oldest first"),
    earlier: z.int().optional().describe("for `before`, if there are older ones"),
    later: z.int().optional().describe("for `after`, if there are newer ones"),
  })
  .meta({ id: "EventPage" });
