import { gitHead } from "../../git/state.ts";
import { newestOf } from "../../sessions/record/chain.ts";
import { isHandingOff } from "../../sessions/record/handoff-questions.ts";
import { tell } from "../../sessions/record/mail.ts";
import type { Registry } from "../../sessions/record/registry.ts";
import { repositoryComparison } from "../../sessions/record/same-repository.ts";
import type { OwnSession, WorkerReport } from "../../sessions/record/session.ts";
import { isLost, type Worker, workersOf } from "../../sessions/record/workers.ts";
import { shortLine } from "../../util/frame.ts";
import { oneLine } from "../../util/printable.ts";
import { callingSession, type Served } from "./served.ts";

/** A report is one row of a table that is read again and again. */
const MOST_OF_REPORT = 500;

interface GivenReport {
  task: string;
  status: string;
  branch?: string | undefined;
  /** The session that gave the task, where there is more than one. */
  orchestrator?: string | undefined;
}

/** Who has the report, or why it was refused. */
export type Reported =
  /** `waits`: it hands over, and whoever continues is told. `lost`: it has ended, and nobody has its work. */
  | { orchestrator: string | null; reader: "sees-it" | "waits" | "lost" | "nobody" }
  | { refused: "unknown" | "elsewhere" | "no-orchestrator"; named: string }
  | { refused: "several"; known: string[] };

/** Records how the task of the calling session stands, for its orchestrator. */
export async function reportHere(served: Served, given: GivenReport): Promise<Reported> {
  const { registry } = served;
  const session = await callingSession(served);
  const found = await orchestratorOf(registry, session, given.orchestrator);
  if ("refused" in found) return found;
  const { to } = found;
  const at = new Date().toISOString();
  const [task, status] = [shortLine(given.task, MOST_OF_REPORT), shortLine(given.status, MOST_OF_REPORT)];
  const branch = oneLine(given.branch || ((await gitHead(session.cwd)).branch ?? "")) || null;
  const report: WorkerReport = { orchestrator: to?.id ?? null, task, status, branch, at };
  await registry.update(session.id, (known = session) => ({
    ...known,
    role: known.role === "single" ? "worker" : known.role,
    report,
  }));
  if (!to) return { orchestrator: null, reader: "nobody" };
  if (!(await mayMiss(registry, to))) return { orchestrator: to.id, reader: isLost(to) ? "lost" : "sees-it" };
  const told = await tell(registry, to.id, { from: session.id, text: `${task}: ${status}`, at });
  return { orchestrator: told ?? null, reader: "waits" };
}

/** The sessions that report to the calling one, or to one whose work it continues. */
export async function workersHere(served: Served): Promise<Worker[]> {
  return workersOf(served.registry, await callingSession(served));
}

type Orchestrator = { to: OwnSession | undefined } | Extract<Reported, { refused: string }>;

/**
 * The one that is named, that it reported to before, or that is the only one of its repository. One that is lost is only
 * taken where there is no other.
 */
async function orchestratorOf(
  registry: Registry,
  session: OwnSession,
  named: string | undefined,
): Promise<Orchestrator> {
  const id = named ?? session.report?.orchestrator;
  const found = id ? await registry.find(id) : undefined;
  if (named && !found) return { refused: "unknown", named };
  const known = found && (await newestOf(registry, found));
  const refused = known && (await refusalOf(known, session));
  if (named && refused) return { refused, named };
  const ours = refused ? undefined : known;
  if (ours && !isLost(ours)) return { to: ours };
  const others = (await orchestratorsNear(registry, session)).filter(({ id }) => id !== session.id);
  if (others.length < 2) return { to: others[0] ?? ours };
  return { refused: "several", known: others.map((other) => other.id) };
}

/** What a worker says stands in the orchestrator's window: only who works on the same repository gets a word in there. */
async function refusalOf(
  orchestrator: OwnSession,
  session: OwnSession,
): Promise<"elsewhere" | "no-orchestrator" | undefined> {
  if (orchestrator.role !== "orchestrator") return "no-orchestrator";
  return (await repositoryComparison()(orchestrator, session)) ? undefined : "elsewhere";
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
