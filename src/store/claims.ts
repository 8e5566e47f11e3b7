import type { Job } from "../job/job.ts";
import { type Liveness, liveness, type Owner, type ProcessIdentity } from "../processes/owner.ts";
import { localMinute } from "../util/time.ts";
import { JobNotFoundError } from "./errors.ts";
import { parsed } from "./events.ts";
import { jobOf } from "./jobs.ts";
import type { Store } from "./store.ts";

/** A job as its new owner found it. */
export interface Claim {
  job: Job;
  attempt: number;
}

export class JobOwnedError extends Error {
  override readonly name = "JobOwnedError";
  readonly job: string;
  readonly owner: Owner;

  constructor(job: string, owner: Owner, seen: Liveness) {
    const process = `process ${owner.pid} on ${owner.host}, since ${localMinute(new Date(owner.since))}`;
    const advice =
      seen === "alive"
        ? `Watch it with \`baton attach ${job}\`, or end it with \`baton cancel ${job}\`.`
        : "Whether that process still lives cannot be seen from here: resume the job where it ran.";
    super(`${job} is being run by ${process}. ${advice}`);
    this.job = job;
    this.owner = owner;
  }
}

/** Makes `owner` the job's only writer. Refused while the last owner may be alive. */
export async function claimJob(store: Store, id: string, owner: ProcessIdentity, now: Date): Promise<Claim> {
  for (;;) {
    const row = await store.db
      .selectFrom("jobs")
      .select(["attempt", "owner"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) throw new JobNotFoundError(id);
    refuseOwner(store, id, row.owner);
    const claim = await takeOver(store, id, row.attempt, { ...owner, since: now.toISOString() });
    // Without a claim another process was faster: look again at who has the job now.
    if (claim) return claim;
  }
}

/** Refuses a job whose last owner may be alive. It can be claimed by somebody else right afterwards. */
export async function refuseOwned(store: Store, id: string): Promise<void> {
  const row = await store.db.selectFrom("jobs").select("owner").where("id", "=", id).executeTakeFirst();
  refuseOwner(store, id, row?.owner ?? null);
}

export function refuseOwner(store: Store, id: string, owner: string | null): void {
  if (owner === null) return;
  const other: Owner = parsed(store, owner);
  const seen = liveness(other);
  if (seen !== "dead") throw new JobOwnedError(id, other, seen);
}

async function takeOver(store: Store, id: string, attempt: number, owner: Owner) {
  const row = await store.db.transaction().execute(async (db) => {
    const taken = await db
      .updateTable("jobs")
      .set({ attempt: attempt + 1, owner: JSON.stringify(owner), hears: 1 })
      .where("id", "=", id)
      .where("attempt", "=", attempt)
      .returning(["id", "snapshot"])
      .executeTakeFirst();
    // A request that was meant for an earlier owner must not stop this one.
    if (taken) {
      await db
        .updateTable("requests")
        .set({ taken_at: owner.since })
        .where("job", "=", id)
        .where("taken_at", "is", null)
        .execute();
    }
    return taken;
  });
  return row && { job: await jobOf(store, row), attempt: attempt + 1 };
}

/** Gives a job up, unless it is somebody else's by now. */
export async function releaseJob(store: Store, id: string, attempt: number): Promise<void> {
  await store.db
    .updateTable("jobs")
    .set({ owner: null })
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .execute();
}

/** The jobs that a process has which may be alive. */
export async function ownedJobs(store: Store): Promise<{ job: string; agent: string; owner: Owner }[]> {
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "agent", "owner"])
    .where("owner", "is not", null)
    .execute();
  return rows
    .map(({ id, agent, owner }) => ({ job: id, agent, owner: parsed<Owner>(store, owner ?? "null") }))
    .filter(({ owner }) => liveness(owner) !== "dead");
}
