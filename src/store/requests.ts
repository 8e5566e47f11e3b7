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
}

/** Takes the open requests to a job, oldest first. An owner that was replaced gets none: they are not meant for it. */
export async function takeRequests(
  store: Store,
  job: string,
  attempt: number,
  now: Date,
): Promise<JobRequest[]> {
  const open = await store.db
    .selectFrom("requests")
    .select("id")
    .where("job", "=", job)
    .where("taken_at", "is", null)
    .limit(1)
    .execute();
  if (open.length === 0) return [];
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
