import { tableRow } from "../../handoff/text/tables.ts";
import { counted } from "../../util/figures.ts";
import { utcMinute } from "../../util/time.ts";
import { chainOf, newestOf } from "./chain.ts";
import { isOnItsWay } from "./handoff-questions.ts";
import {
  branchOf,
  isOver,
  type JobWorker,
  type LookUpJobs,
  lastUpdate,
  statusAndWords,
  taskOf,
} from "./job-worker.ts";
import type { Registry } from "./registry.ts";
import { repositoryComparison } from "./same-repository.ts";
import { type OwnSession, programIsGone, type WorkerReport } from "./session.ts";

export type Worker = SessionWorker | JobWorker;

interface SessionWorker {
  kind: "session";
  /** That has the task now. */
  session: OwnSession;
  report: WorkerReport;
}

/**
 * Whoever reports to this orchestrator, or reported to one whose work it continues, or in its repository to nobody or to one
 * that is lost; and the jobs that these orchestrators started. The newest first.
 */
export async function workersOf(
  registry: Registry,
  orchestrator: OwnSession,
  lookUp: LookUpJobs,
): Promise<Worker[]> {
  const chain = new Set((await chainOf(registry, orchestrator)).map(({ id }) => id));
  const workers = [
    ...(await sessionsOf(registry, orchestrator, chain)),
    ...(await jobsOf(registry, orchestrator, chain, lookUp)),
  ];
  return workers.sort((a, b) => updateOf(b).localeCompare(updateOf(a)));
}

function updateOf(worker: Worker): string {
  return worker.kind === "session" ? worker.report.at : lastUpdate(worker.seen);
}

async function sessionsOf(
  registry: Registry,
  orchestrator: OwnSession,
  chain: ReadonlySet<string>,
): Promise<SessionWorker[]> {
  const sameRepository = repositoryComparison();
  const byTask = new Map<string, SessionWorker>();
  const reports = (await registry.list())
    .flatMap((session) =>
      session.report && !chain.has(session.id) ? { session, report: session.report } : [],
    )
    .sort((a, b) => b.report.at.localeCompare(a.report.at));
  for (const { session, report } of reports) {
    const now = await newestOf(registry, session);
    if (!byTask.has(now.id) && (await isOurs(now, report)))
      byTask.set(now.id, { kind: "session", session: now, report });
  }
  return [...byTask.values()];

  async function isOurs(worker: OwnSession, { orchestrator: to }: WorkerReport): Promise<boolean> {
    if (to === null) return sameRepository(worker, orchestrator);
    if (chain.has(to)) return true;
    const named = await registry.find(to);
    const other = named && (await newestOf(registry, named));
    return other !== undefined && isLeftBy(other, worker) && sameRepository(other, orchestrator);
  }
}

/** Each job once: those that it started itself, or whose work it continues, and those of one that is lost. */
async function jobsOf(
  registry: Registry,
  orchestrator: OwnSession,
  chain: ReadonlySet<string>,
  lookUp: LookUpJobs,
): Promise<JobWorker[]> {
  const sameRepository = repositoryComparison();
  const found: JobWorker[] = [];
  for (const session of await registry.list()) {
    if (!session.jobs) continue;
    const isOurs = chain.has(session.id);
    const now = isOurs ? session : await newestOf(registry, session);
    const isLeft =
      !isOurs && now.role === "orchestrator" && isLost(now) && (await sameRepository(now, orchestrator));
    if (!isOurs && !isLeft) continue;
    for (const seen of await lookUp(session.jobs)) {
      const ended = "job" in seen && seen.job.finishedAt !== null ? { at: seen.job.finishedAt } : null;
      if (isOurs || isLeftBy(now, { ended })) found.push({ kind: "job", seen });
    }
  }
  return found;
}

/** Of an orchestrator that is lost, those workers that it saw the end of were its own affair. */
function isLeftBy(orchestrator: OwnSession, { ended }: { ended: { at: string } | null }): boolean {
  if (!isLost(orchestrator)) return false;
  return ended === null || ended.at > (orchestrator.ended?.at ?? orchestrator.seenAt);
}

/** It has ended, and nobody continues its work: whatever it is told, no one reads. */
export function isLost(session: OwnSession): boolean {
  return !isOnItsWay(session.handoff) && (session.ended !== null || programIsGone(session));
}

const COLUMNS = ["Session", "Task", "Status", "Branch", "Last Update"];

/** Of those that are over, the newest so many: a table that is read at every handoff cannot grow for ever. */
const MOST_ENDED = 20;

/** The table of an orchestrator's document, from what is registered: nobody has to remember it. */
export async function workerTable(
  registry: Registry,
  orchestrator: OwnSession,
  lookUp: LookUpJobs,
): Promise<string> {
  const workers = await workersOf(registry, orchestrator, lookUp);
  const ended = workers.filter((worker) => worker.kind === "job" && isOver(worker.seen));
  const left = new Set(ended.slice(MOST_ENDED));
  const rows = workers.filter((worker) => !left.has(worker)).map(rowOf);
  const more =
    left.size > 0 ? [["…", `${counted(left.size, "job")} that ended earlier: list_workers`, "", "", ""]] : [];
  return [COLUMNS, COLUMNS.map(() => "---"), ...rows, ...more].map(tableRow).join("\n");
}

function rowOf(worker: Worker): string[] {
  if (worker.kind === "job") {
    const { seen } = worker;
    const since = lastUpdate(seen) && utcMinute(lastUpdate(seen));
    return [seen.id, taskOf(seen), statusAndWords(seen), branchOf(seen) ?? "", since];
  }
  const { session, report } = worker;
  return [
    session.id,
    report.task,
    session.ended === null ? report.status : `${report.status} (its session has ended)`,
    report.branch ?? "",
    utcMinute(report.at),
  ];
}
