import { z } from "zod";
import { newestOf } from "../sessions/chain.ts";
import { tell } from "../sessions/mail.ts";
import type { Registry } from "../sessions/registry.ts";
import type { OwnSession, WorkerReport } from "../sessions/session.ts";
import { workersOf } from "../sessions/workers.ts";
import { gitHead } from "../workspace/state.ts";
import { RefusedError } from "./inside.ts";
import { type AddTools, callingSession, result } from "./served.ts";

const text = z.string().trim();

export const addWorkerTools: AddTools = (server, served) => {
  server.registerTool(
    "report_status",
    {
      title: "Report to the orchestrator",
      description:
        "Puts on record how the task that this session was given stands, for its orchestrator: when it begins, is blocked, or is done.",
      inputSchema: {
        task: text.min(1).describe("What this session was given to do"),
        status: text.min(1).describe("How it stands, such as: working, blocked by …, done"),
        branch: text.optional().describe("Where its work is; the branch of its folder unless given"),
        orchestrator: text.optional().describe("The session that gave it, where there is more than one"),
      },
      outputSchema: {
        orchestrator: z.string().nullable(),
        delivery: z.enum(["on-record", "waits"]).describe("`waits`: it is told when it has been cleared"),
        message: z.string(),
      },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    async ({ task, status, branch, orchestrator }) => {
      const { registry } = served;
      const session = await callingSession(served);
      const to = await orchestratorOf(registry, session, orchestrator);
      const at = new Date().toISOString();
      const report: WorkerReport = {
        orchestrator: to?.id ?? null,
        task,
        status,
        branch: branch || ((await gitHead(session.cwd)).branch ?? null),
        at,
      };
      await registry.update(session.id, (known = session) => ({
        ...known,
        role: known.role === "single" ? "worker" : known.role,
        report,
      }));
      const waits = to !== undefined && cannotListen(to);
      const reader = waits
        ? await tell(registry, to.id, { from: session.id, text: `${task}: ${status}`, at })
        : to?.id;
      return result({
        orchestrator: reader ?? null,
        delivery: waits ? ("waits" as const) : ("on-record" as const),
        message: messageFor(to, waits),
      });
    },
  );

  server.registerTool(
    "list_workers",
    {
      title: "List workers",
      description:
        "Lists the sessions that report to this one, or to one whose work it took up, with their tasks.",
      inputSchema: {},
      outputSchema: {
        workers: z.array(
          z.object({
            session: z.string(),
            task: z.string(),
            status: z.string(),
            branch: z.string().nullable(),
            last_update: z.string(),
            ended: z.boolean().describe("Its session has ended"),
            context_percent: z.number().nullable().describe("Of its window that is in use"),
          }),
        ),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async () => {
      const workers = await workersOf(served.registry, await callingSession(served));
      return result({
        workers: workers.map(({ session, report }) => ({
          session: session.id,
          task: report.task,
          status: report.status,
          branch: report.branch,
          last_update: report.at,
          ended: session.ended !== null,
          context_percent: session.figure?.percent ?? null,
        })),
      });
    },
  );
};

/** The one that is named, that it reported to before, or that is the only one of its project. */
async function orchestratorOf(
  registry: Registry,
  session: OwnSession,
  named: string | undefined,
): Promise<OwnSession | undefined> {
  const id = named ?? session.report?.orchestrator;
  if (id) {
    const found = await registry.find(id);
    if (found?.project === session.project) return newestOf(registry, found);
    if (named) throw new RefusedError(`No session ${named} of this project is on record.`);
  }
  const others = (await registry.list()).filter(
    (other) =>
      other.role === "orchestrator" &&
      other.project === session.project &&
      other.id !== session.id &&
      other.handoff?.state !== "taken-up" &&
      (other.ended === null || cannotListen(other)),
  );
  if (others.length < 2) return others[0];
  const ids = others.map((other) => other.id).join(", ");
  throw new RefusedError(`There is more than one orchestrator here: ${ids}. Name yours as \`orchestrator\`.`);
}

/** While it hands over: it will not see what it is told before its next session has begun. */
function cannotListen({ handoff }: OwnSession): boolean {
  return handoff?.state === "stored" || handoff?.state === "clearing";
}

function messageFor(to: OwnSession | undefined, waits: boolean): string {
  if (!to)
    return "On record. No orchestrator of this project is registered: one that begins later will see it.";
  return waits
    ? "On record. The orchestrator is just being cleared, and is told when it goes on."
    : "On record: the orchestrator sees it in its list of workers.";
}
