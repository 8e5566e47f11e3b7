import { z } from "zod";
import { project, status, time } from "./common.ts";
import { queued } from "./fleet.ts";
import { message } from "./jobs.ts";

const text = z.string().min(1).max(200_000);
const place = {
  priority: z.int().min(-1_000).max(1_000).optional().describe("jobs with a higher number start first"),
  after: z.array(z.string().max(100)).max(50).optional().describe("jobs that must be completed first"),
};
const maxCostUsd = z
  .number()
  .positive()
  .optional()
  .describe("what it may cost; more than the configuration says needs the scope `answer`");

export const startBody = z.strictObject({
  project,
  agent: z.string().max(200).optional().describe("by its name; needed where there are several"),
  prompt: text.optional().describe("default: the `default_prompt` of the agent"),
  epic: z.string().max(200).optional(),
  workItem: z.object({ id: z.string().max(200), title: z.string().max(500).exactOptional() }).optional(),
  maxCostUsd,
  ...place,
});

export const started = z
  .object({ job: z.string(), queued: queued.optional() })
  .meta({ id: "Started", description: "A job that was put into the queue, and its place there" });

/** What waits may take a while; the stream tells when it is done. */
export const steered = z
  .object({
    job: z.string(),
    state: z.enum(["done", "asked"]).describe("`asked`: its process was told, and has not answered yet"),
    status: status.optional(),
    message: z.string().optional(),
  })
  .meta({ id: "Steered" });

export const resumeBody = z.strictObject({ maxCostUsd, ...place });
export const forkBody = z.strictObject({
  says: text.optional().describe("what to do differently: it is added to the prompt"),
  from: z
    .object({ kind: z.enum(["handoff", "checkpoint"]), number: z.int().min(1) })
    .optional()
    .describe("default: as the job is now"),
});
export const handOffBody = z.strictObject({
  focus: z.string().max(2_000).optional(),
  to: z.string().max(200).optional().describe("another agent that takes over"),
});
export const moveBody = z.strictObject({
  to: z.enum(["first", "last"]).optional(),
  free: z.boolean().optional().describe("it waits for no other job any more"),
  ...place,
});

const moment = z.enum(["boundary", "turn", "end"]);
export const messageBody = z.strictObject({ text, at: moment.default("boundary") });
export const changeBody = z.strictObject({ text: text.optional(), at: moment.optional() });

export const messages = z
  .object({
    waiting: z.array(message),
    told: z.array(
      z.object({
        id: z.int(),
        job: z.string(),
        text: z.string(),
        session: z.string(),
        toldAt: time,
        deliveredAt: time.nullable(),
      }),
    ),
  })
  .meta({ id: "Messages" });

const inboxRow = z
  .object({
    project: z.string(),
    kind: z
      .string()
      .describe(
        "`approval`, `question`, `stall`, `circles`, `configuration`, `work`, `paused`, `failed`, `schedule`, `review`, `denied`",
      ),
    id: z.string(),
    title: z.string(),
    agent: z.string().optional(),
    jobs: z.array(z.string()),
    item: z
      .object({ source: z.string(), id: z.string() })
      .optional()
      .describe("of `work`: the item that has changed under its job"),
    since: time,
    why: z.array(z.object({ at: z.string(), text: z.string() })),
    costs: z.enum(["slot", "work", "nothing"]).describe("what waiting costs"),
    ask: z
      .object({
        tool: z.string(),
        input: z.string(),
        cut: z.int().optional(),
        why: z.string().optional(),
        rule: z.string().optional().describe("what would always allow such calls"),
        until: time.optional(),
        digest: z.string().describe("of the call: an answer that sends it holds for what was shown alone"),
        questions: z
          .array(
            z.object({
              question: z.string(),
              options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
              several: z.literal(true).optional(),
            }),
          )
          .optional(),
        calls: z.array(z.string()).optional().describe("what else the same answer of the model calls"),
      })
      .optional(),
    actions: z.array(z.object({ does: z.string(), command: z.string() })),
  })
  .meta({ id: "InboxRow", description: "As `baton inbox --json` prints it, with its project" });

export const inbox = z.object({ inbox: z.array(inboxRow) }).meta({ id: "Inbox" });

export const answerBody = z
  .union([
    z.strictObject({
      answer: z.literal("yes"),
      always: z.boolean().exactOptional(),
      digest: z.string().max(200).exactOptional(),
    }),
    z.strictObject({
      answer: z.literal("no"),
      because: z.string().max(10_000).exactOptional(),
      digest: z.string().max(200).exactOptional(),
    }),
    z.strictObject({
      answer: z.literal("text"),
      texts: z.array(text).min(1).max(20),
      digest: z.string().max(200).exactOptional(),
    }),
  ])
  .meta({ id: "Answer" });

export const answered = z
  .object({
    ask: z.string(),
    job: z.string(),
    state: z
      .enum(["delivered", "continues", "resume"])
      .describe("the agent has it; or the fleet continues the job with it; or whoever resumes the job does"),
  })
  .meta({ id: "Answered" });

export const always = z
  .object({
    agent: z.string(),
    rule: z.string().describe("as in `allowed_tools`"),
    file: z.string(),
    at: z
      .object({ line: z.string(), number: z.int() })
      .optional()
      .describe("the line as it would read; missing where Baton could not write it"),
  })
  .meta({ id: "Always" });

export const leaveBody = z.strictObject({
  project,
  id: z.string().min(1).max(500).describe("of a row of the inbox"),
});
