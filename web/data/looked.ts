import { signal } from "@preact/signals";
import { type JobRow, rows } from "./fleet.ts";

/** What this browser saw last, to say what has happened since. */
export interface Looked {
  at: string;
  jobs: Record<string, Seen>;
}

type Seen = Pick<JobRow, "status" | "handoffs"> & { usd: number };

const KEPT = "baton.looked";
/** Whoever comes back sooner has not been away. */
const AWAY_MS = 10 * 60_000;

/** Undefined where nobody was away. */
export const looked = signal<Looked | undefined>(undefined);

/** A page that is left open has been looked at until it is hidden. */
export function followLooks(): void {
  const arrive = () => {
    const before = kept();
    if (before && Date.now() - Date.parse(before.at) >= AWAY_MS) looked.value = before;
  };
  const leave = () => {
    const seen = rows.value.map((row): [string, Seen] => {
      const { id, status, handoffs } = row;
      return [id, { status, handoffs, usd: usdOf(row) }];
    });
    const now: Looked = { at: new Date().toISOString(), jobs: Object.fromEntries(seen) };
    localStorage.setItem(KEPT, JSON.stringify(now));
  };
  arrive();
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () =>
    document.visibilityState === "visible" ? arrive() : leave(),
  );
}

function kept(): Looked | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** With what a simulated model would have cost. */
const usdOf = ({ costUsd, simulatedCostUsd = 0 }: JobRow) => (costUsd ?? 0) + simulatedCostUsd;

/** One job that something has happened in since. */
export interface Since {
  row: JobRow;
  isNew: boolean;
  /** It has another status than then. */
  became?: JobRow["status"];
  handoffs: number;
  costUsd: number;
}

export function sinceThen({ at, jobs }: Looked, all: readonly JobRow[]): Since[] {
  return all
    .filter(({ updatedAt }) => updatedAt > at)
    .map((row) => {
      const before = jobs[row.id];
      return {
        row,
        isNew: row.createdAt > at,
        ...(before?.status !== row.status && { became: row.status }),
        handoffs: row.handoffs - (before?.handoffs ?? 0),
        costUsd: usdOf(row) - (before?.usd ?? 0),
      };
    });
}
