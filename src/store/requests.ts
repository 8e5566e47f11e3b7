import { parsed } from "./events.ts";
import type { Store } from "./store.ts";
import type { RequestKind } from "./tables.ts";

export interface JobRequest {
  kind: RequestKind;
  payload: unknown;
  at: string;
}

export async function sendRequest(store: Store, job: string, request: JobRequest): Promise<void> {
  const { kind, payload, at } = request;
  await store.db
    .insertInto("requests")
    .values({ job, kind, payload: JSON.stringify(payload), at })
    .execute();
  for (const hear of hearing.get(store.path) ?? []) hear();
}

/** By the path of their store, which one process may have open more than once. */
const hearing = new Map<string, Set<() => void>>();

/** Calls `hear` after each request that this very process sends to a job of the store. Those of others are to be looked for. */
export function hearRequests({ path }: Store, hear: () => void): void {
  const known = hearing.get(path) ?? new Set();
  hearing.set(path, known.add(hear));
}

export function stopHearingRequests({ path }: Store, hear: () => void): void {
  const known = hearing.get(path);
  known?.delete(hear);
  if (known?.size === 0) hearing.delete(path);
}

/** Those of the jobs that somebody asks something of. */
export async function jobsAsked(store: Store, jobs: readonly string[]): Promise<string[]> {
  const rows = await store.db
    .selectFrom("requests")
    .select("job")
    .distinct()
    .where("job", "in", jobs)
    .where("taken_at", "is", null)
    .execute();
  return rows.map(({ job }) => job);
}

/** Takes the open requests to a job, oldest first. An owner that was replaced gets none: they are not meant for it. */
export async function takeRequests(
  store: Store,
  job: string,
  attempt: number,
  now: Date,
): Promise<JobRequest[]> {
  const taken = await store.db
    .updateTable("requests")
    .set({ taken_at: now.toISOString() })
    .where("job", "=", job)
    .where("taken_at", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("jobs").select("id").where("id", "=", job).where("attempt", "=", attempt)),
    )
    .returning(["id", "kind", "payload", "at"])
    .execute();
  return taken
    .sort((a, b) => a.id - b.id)
    .map(({ kind, payload, at }) => ({ kind, payload: parsed(store, payload), at }));
}
