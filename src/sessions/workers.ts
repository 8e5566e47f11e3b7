import { chainOf, newestOf } from "./chain.ts";
import type { Registry } from "./registry.ts";
import type { OwnSession, WorkerReport } from "./session.ts";

export interface Worker {
  /** That has the task now. */
  session: OwnSession;
  report: WorkerReport;
}

/** Whoever reports to this orchestrator, or reported to one whose work it took up; the newest report first. */
export async function workersOf(registry: Registry, orchestrator: OwnSession): Promise<Worker[]> {
  const chain = new Set((await chainOf(registry, orchestrator)).map(({ id }) => id));
  const byTask = new Map<string, Worker>();
  const sessions = (await registry.list()).flatMap((session) =>
    session.report !== null && isOf(session, session.report, orchestrator, chain)
      ? [{ session, report: session.report }]
      : [],
  );
  for (const { session, report } of sessions.sort((a, b) => b.report.at.localeCompare(a.report.at))) {
    const now = await newestOf(registry, session);
    if (!byTask.has(now.id)) byTask.set(now.id, { session: now, report });
  }
  return [...byTask.values()];
}

/** One that does not say whose worker it is belongs to the orchestrator of its project. */
function isOf(
  session: OwnSession,
  report: WorkerReport,
  orchestrator: OwnSession,
  chain: ReadonlySet<string>,
): boolean {
  if (chain.has(session.id)) return false;
  return report.orchestrator === null
    ? session.project === orchestrator.project
    : chain.has(report.orchestrator);
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
    report.at.slice(0, 16).replace("T", " "),
  ]);
  return [COLUMNS, COLUMNS.map(() => "---"), ...rows].map(row).join("\n");
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, " ").trim().replaceAll("|", "\\|")).join(" | ")} |`;
}
