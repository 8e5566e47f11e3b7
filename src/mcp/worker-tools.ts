import { z } from "zod";
import { type Reported, reportHere, workersHere } from "../app/sessions/workers.ts";
import { UsageError } from "../app/usage-error.ts";
import { type AddTools, LONGEST, onTrail, result, upTo } from "./tools.ts";

export const addWorkerTools: AddTools = (server, served) => {
  server.registerTool(
    "report_status",
    {
      title: "Report to the orchestrator",
      description:
        "Reports the state of this session's task to its orchestrator: when it starts, is blocked, or is done.",
      // A report is one row of a table that is read again and again.
      inputSchema: {
        task: upTo(500).min(1).describe("The task that this session was given"),
        status: upTo(500).min(1).describe("Its state, such as: working, blocked by …, done"),
        branch: upTo(LONGEST.name)
          .optional()
          .describe("Where its work is; by default the branch of its folder"),
        orchestrator: upTo(LONGEST.name)
          .optional()
          .describe("The session that gave it, if this repository has more than one"),
      },
      outputSchema: {
        orchestrator: z.string().nullable(),
        delivery: z
          .enum(["on-record", "waits"])
          .describe("`waits`: it is handing off, and gets it when it continues"),
        message: z.string(),
      },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    onTrail(
      served,
      "report_status",
      ({ orchestrator }) => orchestrator,
      async (given) => {
        const reported = await reportHere(served, given);
        if ("refused" in reported) throw new UsageError(refusalOf(reported));
        const { orchestrator, reader } = reported;
        return result({
          orchestrator,
          delivery: reader === "waits" ? ("waits" as const) : ("on-record" as const),
          message: messageFor(reported),
        });
      },
    ),
  );

  server.registerTool(
    "list_workers",
    {
      title: "List workers",
      description:
        "Lists the sessions that report to this one, or to one whose work it continues, and the jobs that these started, with their tasks.",
      inputSchema: {},
      outputSchema: {
        workers: z.array(
          z.object({
            session: z.string().nullable().describe("Null for a job that has not started"),
            job: z.string().nullable().describe("Its id, if it is a job: `baton show <job>` says more"),
            task: z.string(),
            status: z.string().describe("As the session reported it, or from the journal of the job"),
            reported: z.string().nullable().describe("What the agent of a job said last"),
            branch: z.string().nullable(),
            last_update: z.string(),
            ended: z.boolean().describe("Its session, or the job, has ended"),
            context_percent: z.number().nullable().describe("How much of its window is in use"),
          }),
        ),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async () => result({ workers: await workersHere(served) }),
  );
};

function refusalOf(refusal: Extract<Reported, { refused: string }>): string {
  switch (refusal.refused) {
    case "unknown":
      return `No session ${refusal.named} is on record. Leave \`orchestrator\` out, or name one that \`baton status --json\` lists.`;
    case "elsewhere":
      return `${refusal.named} works on another repository. A report reaches only an orchestrator of the same one: leave \`orchestrator\` out.`;
    case "no-orchestrator":
      return `${refusal.named} is not an orchestrator. Leave \`orchestrator\` out, or name one that \`baton status --json\` lists as such.`;
    case "several":
      return `There is more than one orchestrator of this repository: ${refusal.known.join(", ")}. Name yours as \`orchestrator\`.`;
  }
}

function messageFor({ orchestrator, reader }: Extract<Reported, { reader: string }>): string {
  switch (reader) {
    case "nobody":
      return "Recorded. No orchestrator of this repository is registered; one that starts later will see it.";
    case "waits":
      return "Recorded. The orchestrator is handing off right now, and gets it when it continues.";
    case "lost":
      return `Recorded. The orchestrator ${orchestrator} has ended; one that starts later in its repository will see it.`;
    case "sees-it":
      return "Recorded: the orchestrator sees it in its list of workers.";
  }
}
