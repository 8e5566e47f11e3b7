import { z } from "zod";
import { gitHead } from "../git/state.ts";
import { newestOf } from "../sessions/record/chain.ts";
import { isHandingOff } from "../sessions/record/handoff-state.ts";
import { tell } from "../sessions/record/mail.ts";
import type { Registry } from "../sessions/record/registry.ts";
import { repositoryComparison } from "../sessions/record/same-repository.ts";
import type { OwnSession, WorkerReport } from "../sessions/record/session.ts";
import { isLost, workersOf } from "../sessions/record/workers.ts";
import { RefusedError } from "./inside.ts";
import { type AddTools, callingSession, result } from "./served.ts";

/** A report is one row of a table that is read again and again. */
const upTo = (characters: number) =>
  z.string().trim().max(characters, `At most ${characters} characters: say it shorter.`);

export const addWorkerTools: AddTools = (server, served) => {
  server.registerTool(
    "report_status",
    {
      title: "Report to the orchestrator",
      description:
        "Records the state of the task that this session was given, for its orchestrator: when it begins, is blocked, or is done.",
      inputSchema: {
        task: upTo(500).min(1).describe("What this session was given to do"),
        status: upTo(500).min(1).describe("Its state, such as: working, blocked by …, done"),
        branch: upTo(200).optional().describe("Where its work is; the branch of its folder unless given"),
        orchestrator: upTo(200).optional().describe("The session that gave it, where there is more than one"),
      },
      outputSchema: {
        orchestrator: z.string().nullable(),
        delivery: z
          .enum(["on-record", "waits"])
          .describe("`waits`: it is handing over, and is told when it continues"),
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
      const waits = to !== undefined && (await mayMiss(registry, to));
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
        "Lists the sessions that report to this one, or to one whose work it continues, with their tasks.",
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

/**
 * The one that is named, that it reported to before, or that is the only one of its repository. One that is lost is only
 * taken where there is no other.
 */
async function orchestratorOf(
  registry: Registry,
  session: OwnSession,
  named: string | undefined,
): Promise<OwnSession | undefined> {
  const id = named ?? session.report?.orchestrator;
  const found = id ? await registry.find(id) : undefined;
  if (named && !found) {
    throw new RefusedError(
      `No session ${named} is on record. Leave \`orchestrator\` out, or name one that \`baton status --json\` lists.`,
    );
  }
  const known = found && (await newestOf(registry, found));
  if (known && !isLost(known)) return known;
  const others = (await orchestratorsNear(registry, known ?? session)).filter(({ id }) => id !== session.id);
  if (others.length < 2) return others[0] ?? known;
  const ids = others.map((other) => other.id).join(", ");
  throw new RefusedError(
    `There is more than one orchestrator of this repository: ${ids}. Name yours as \`orchestrator\`.`,
  );
}

/** Of its repository, those that read what they are told. */
async function orchestratorsNear(registry: Registry, session: OwnSession): Promise<OwnSession[]> {
  const sameRepository = repositoryComparison();
  const found: OwnSession[] = [];
  for (const other of await registry.list()) {
    const isOne = other.role === "orchestrator" && other.handoff?.state !== "taken-up" && !isLost(other);
    if (isOne && (await sameRepository(other, session))) found.push(other);
  }
  return found;
}

/** Looked at after the report is on record: the table for its next session may have been made before that. */
async function mayMiss(registry: Registry, to: OwnSession): Promise<boolean> {
  const now = await newestOf(registry, (await registry.find(to.id)) ?? to);
  if (isLost(now)) return false;
  return now.id !== to.id || isHandingOff(now.handoff);
}

function messageFor(to: OwnSession | undefined, waits: boolean): string {
  if (!to)
    return "On record. No orchestrator of this repository is registered: one that begins later will see it.";
  if (waits) return "On record. The orchestrator is handing over right now, and is told when it continues.";
  return isLost(to)
    ? `On record. The orchestrator ${to.id} has ended: one that begins later in its repository will see it.`
    : "On record: the orchestrator sees it in its list of workers.";
}
