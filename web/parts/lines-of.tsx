import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { type JobRow, rows } from "../data/fleet.ts";
import { Counts } from "../pages/job/changes/counts.tsx";

const MOVES = new Set(["running", "waiting"]);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Where others worked on the same branch meanwhile, nobody can say whose its lines are. */
function isAlone(job: JobRow, all: readonly JobRow[]): boolean {
  const { id, project, branch, createdAt, finishedAt = "9" } = job;
  return !all.some(
    (other) =>
      other.branch === branch &&
      other.project === project &&
      other.id !== id &&
      other.createdAt < finishedAt &&
      (other.finishedAt ?? "9") > createdAt,
  );
}

/** Those of a long board one after the other: what a person asks for meanwhile is not to wait behind them. */
let before: Promise<unknown> = Promise.resolve();

function inTurn<T>(ask: () => Promise<T>): Promise<T> {
  const mine = before.then(ask);
  before = mine.catch(() => {});
  return mine;
}

/** The lines that a job added and took away on its branch: asked of git once a minute, and once where nothing moves any more. */
export function Lines({ of }: { of: JobRow }) {
  const { id, branch, status, updatedAt } = of;
  const isRecent = now.peek().getTime() - Date.parse(updatedAt) < DAY_MS;
  const isWanted = branch !== undefined && status !== "queued" && isRecent && isAlone(of, rows.value);
  const when = MOVES.has(status) ? Math.floor(now.value.getTime() / MINUTE_MS) : of.seq;
  const { value } = useAsked(
    async (signal) => (isWanted ? inTurn(() => api.getDiff({ job: id }, undefined, { signal })) : undefined),
    [id, isWanted, when],
  );
  // With a note, they are not the job's alone.
  if (!isWanted || !value || value.note !== undefined || value.files.length === 0) return null;
  const sum = (which: "added" | "removed") => value.files.reduce((all, file) => all + (file[which] ?? 0), 0);
  return <Counts added={sum("added")} removed={sum("removed")} />;
}
