import { gitHead } from "../../git/state.ts";
import { HANDOFF_LIMITS } from "../../handoff/limits.ts";
import { isAtWork, type Job } from "../../job/job.ts";
import { newestOf } from "../../sessions/record/chain.ts";
import { isHandingOff } from "../../sessions/record/handoff-questions.ts";
import {
  branchOf,
  isOver,
  type JobWorker,
  lastUpdate,
  statusAndWords,
  statusOf,
  taskOf,
} from "../../sessions/record/job-worker.ts";
import { tell } from "../../sessions/record/mail.ts";
import { type Registry, userRegistry } from "../../sessions/record/registry.ts";
import { repositoryComparison } from "../../sessions/record/same-repository.ts";
import type { OwnSession, WorkerReport } from "../../sessions/record/session.ts";
import { isLost, type Worker, workersOf } from "../../sessions/record/workers.ts";
import { shortLine } from "../../util/frame.ts";
import { oneLine } from "../../util/printable.ts";
import { callingSession, type Served } from "./served.ts";
import { lookUpJobs } from "./started-jobs.ts";

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
  const [task, status] = [
    shortLine(given.task, HANDOFF_LIMITS.report),
    shortLine(given.status, HANDOFF_LIMITS.report),
  ];
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

/** The sessions that report to the calling one, or to one whose work it continues, and the jobs that these started. */
export async function workersHere(served: Served): Promise<ListedWorker[]> {
  return listedFor(await callingSession(served), served.registry);
}

export type ListedWorker = ReturnType<typeof workerInList>;

/** The same for a session that is looked at. */
export async function listedFor(session: OwnSession, registry = userRegistry()): Promise<ListedWorker[]> {
  return (await workersOf(registry, session, lookUpJobs)).map(workerInList);
}

/** Tells an orchestrator how a job stands that it started, where it might not see that in its list. */
export async function tellOfNews(orchestrator: string, job: Job, at: string): Promise<void> {
  const registry = userRegistry();
  const named = await registry.find(orchestrator);
  const to = named && (await newestOf(registry, named));
  if (!to || !(await mayMiss(registry, to))) return;
  const seen = { id: job.id, job };
  await tell(registry, to.id, { from: job.id, text: `${taskOf(seen)}: ${statusAndWords(seen)}`, at });
}

/** A worker as it is listed, for agents and in `--json`: its keys are a promise to both. */
function workerInList(worker: Worker) {
  if (worker.kind === "job") return jobInList(worker);
  const { session, report } = worker;
  return {
    session: session.id,
    job: null,
    task: report.task,
    status: report.status,
    reported: null,
    branch: report.branch,
    last_update: report.at,
    ended: session.ended !== null,
    context_percent: session.figure?.percent ?? null,
  };
}

function jobInList({ seen }: JobWorker) {
  const job = "job" in seen ? seen.job : undefined;
  return {
    session: job?.sessions.at(-1)?.id ?? null,
    job: seen.id,
    task: taskOf(seen),
    status: statusOf(seen),
    reported: job?.report?.status ?? null,
    branch: branchOf(seen),
    last_update: lastUpdate(seen),
    ended: isOver(seen),
    context_percent: job && isAtWork(job) ? (job.context?.percent ?? null) : null,
  };
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
