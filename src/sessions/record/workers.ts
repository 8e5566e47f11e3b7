import { tableRow } from "../../handoff/text/tables.ts";
import { utcMinute } from "../../util/time.ts";
import { chainOf, newestOf } from "./chain.ts";
import { isOnItsWay } from "./handoff-questions.ts";
import type { Registry } from "./registry.ts";
import { repositoryComparison } from "./same-repository.ts";
import { type OwnSession, programIsGone, type WorkerReport } from "./session.ts";

export interface Worker {
  /** That has the task now. */
  session: OwnSession;
  report: WorkerReport;
}

/**
 * Whoever reports to this orchestrator, or reported to one whose work it continues, or in its repository to nobody or to one
 * that is lost; the newest report first.
 */
export async function workersOf(registry: Registry, orchestrator: OwnSession): Promise<Worker[]> {
  const chain = new Set((await chainOf(registry, orchestrator)).map(({ id }) => id));
  const sameRepository = repositoryComparison();
  const byTask = new Map<string, Worker>();
  const reports = (await registry.list())
    .flatMap((session) =>
      session.report && !chain.has(session.id) ? { session, report: session.report } : [],
    )
    .sort((a, b) => b.report.at.localeCompare(a.report.at));
  for (const { session, report } of reports) {
    const now = await newestOf(registry, session);
    if (!byTask.has(now.id) && (await isOurs(now, report))) byTask.set(now.id, { session: now, report });
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

/** Of an orchestrator that is lost, those workers that it saw the end of were its own affair. */
function isLeftBy(orchestrator: OwnSession, { ended }: OwnSession): boolean {
  if (!isLost(orchestrator)) return false;
  return ended === null || ended.at > (orchestrator.ended?.at ?? orchestrator.seenAt);
}

/** It has ended, and nobody continues its work: whatever it is told, no one reads. */
export function isLost(session: OwnSession): boolean {
  return !isOnItsWay(session.handoff) && (session.ended !== null || programIsGone(session));
}

const COLUMNS = ["Session", "Task", "Status", "Branch", "Last Update"];

/** The table of an orchestrator's document, from what is registered: nobody has to remember it. */
export async function workerTable(registry: Registry, orchestrator: OwnSession): Promise<string> {
  const workers = await workersOf(registry, orchestrator);
  const rows = workers.map(({ session, report }) => [
    session.id,
    report.task,
    session.ended === null ? report.status : `${report.status} (its session has ended)`,
    report.branch ?? "",
    utcMinute(report.at),
  ]);
  return [COLUMNS, COLUMNS.map(() => "---"), ...rows].map(tableRow).join("\n");
}
