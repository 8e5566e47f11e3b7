import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { JOB_STATUSES } from "../app/records/narrowed.ts";
import { jobsHere, sendHere, showJobHere, waitHere } from "../app/sessions/jobs-here.ts";
import { startJobHere } from "../app/sessions/start-job.ts";
import { type AddTools, LONGEST, onTrail, result, upTo } from "./tools.ts";

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

const job = upTo(LONGEST.name).min(1).describe("Its id, or the beginning of the id's last part");

const state = {
  job: z.string(),
  agent: z.string(),
  status: z.enum(JOB_STATUSES),
  over: z.boolean().describe("It has ended, or rests until somebody continues it"),
  prompt: z.string(),
  needs_person: z
    .boolean()
    .describe(
      "Only the user can let it continue: tell them to run `baton inbox`. Nothing here can answer for them",
    ),
  context: z.string().nullable().describe("How much of its window is in use"),
  cost_usd: z.number().nullable(),
  handoffs: z.number(),
  branch: z.string().nullable(),
  result: z.string().nullable().describe("What its agent said at the end"),
  error: z.string().nullable().describe("Why it failed or paused"),
  updated: z.string(),
};

const MOST_SECONDS = 3_600;

/** What an orchestrator can do with the jobs of a project. Nothing of it answers, trusts or allows in a person's name. */
export const addJobTools: AddTools = (server, served) => {
  server.registerTool(
    "start_job",
    {
      title: "Start a job",
      description:
        "Starts a Baton job in this project, in the background, or in the queue of the fleet if that runs: an agent that works on its own, over as many windows as it takes. wait_for_job waits for it. Tell it everything that it needs to know.",
      inputSchema: {
        prompt: upTo(LONGEST.text).min(1).describe("The whole task"),
        agent: upTo(LONGEST.name).optional().describe("Its name in baton.yaml, if there is more than one"),
        worktree: z.boolean().default(false).describe("Give it a git worktree and a branch of its own"),
      },
      outputSchema: { job: z.string(), status: z.enum(["running", "queued"]), message: z.string() },
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    onTrail(
      served,
      "start_job",
      ({ job }) => job,
      async (wanted) => {
        const { job: id, status } = await startJobHere(served, wanted);
        const how = status === "queued" ? "It waits in the queue of the fleet." : "It is running.";
        const message = `${how} wait_for_job waits for its end, show_job shows its state, send_to_job tells its agent something.`;
        return result({ job: id, status, message });
      },
    ),
  );

  server.registerTool(
    "list_jobs",
    {
      title: "List jobs",
      description: "Lists the jobs of this project, newest first, whoever started them.",
      inputSchema: {
        status: z.enum(JOB_STATUSES).optional().describe("Only those in this state"),
        limit: z.number().int().min(1).max(100).default(20),
      },
      outputSchema: { jobs: z.array(z.object(state)) },
      annotations: READ_ONLY,
    },
    async (wanted) => result({ jobs: await jobsHere(served, wanted) }),
  );

  server.registerTool(
    "show_job",
    {
      title: "Show a job",
      description:
        "Shows the state of a job of this project, and the messages that its agent has not got yet.",
      inputSchema: { job },
      outputSchema: {
        ...state,
        messages: z.array(
          z.object({ id: z.number(), job: z.string(), text: z.string(), at: z.string(), sentAt: z.string() }),
        ),
      },
      annotations: READ_ONLY,
    },
    async (input) => result({ ...(await showJobHere(served, input.job)) }),
  );

  server.registerTool(
    "send_to_job",
    {
      title: "Send a message to a job",
      description:
        "Tells the agent of a job something while it works, in your name. It is not taken for the user's word, and answers nothing that the job asks the user.",
      inputSchema: {
        job,
        message: upTo(LONGEST.text).min(1),
        at: z
          .enum(["boundary", "turn", "end"])
          .default("boundary")
          .describe(
            "When it gets it: when its tools have finished, after its turn, or when everything else is done",
          ),
      },
      outputSchema: { id: z.number(), job: z.string(), at: z.string(), message: z.string() },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    onTrail(
      served,
      "send_to_job",
      ({ job }) => job,
      async (input) => {
        const { id, job: to, at } = await sendHere(served, input.job, { text: input.message, at: input.at });
        return result({
          id,
          job: to,
          at,
          message: `Message ${id} waits for ${to}. show_job lists it until its agent has it.`,
        });
      },
    ),
  );

  server.registerTool(
    "wait_for_job",
    {
      title: "Wait for a job",
      description:
        "Waits until a job has ended or rests, with progress meanwhile. After the timeout it returns with `timed_out`: call it again.",
      inputSchema: {
        job,
        timeout_seconds: z.number().min(1).max(MOST_SECONDS).default(50),
      },
      outputSchema: { ...state, timed_out: z.boolean() },
      annotations: READ_ONLY,
    },
    async (input, extra) => {
      const waited = await waitHere(served, input.job, {
        timeoutMs: input.timeout_seconds * 1_000,
        signal: extra.signal,
        progress: progressOf(extra),
      });
      return result({ ...waited });
    },
  );
};

/** To clients that asked for it. */
function progressOf({
  _meta,
  sendNotification,
}: RequestHandlerExtra<ServerRequest, ServerNotification>): (message: string) => Promise<void> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return async () => {};
  let progress = 0;
  // Sent before the next line, and before the result: a client hears no more of it after that.
  return async (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    await sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
}
