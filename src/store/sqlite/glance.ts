import { existsSync, lstatSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { madeStore } from "../../files/made-here.ts";
import type { Job, JobStatus } from "../../job/job.ts";
import type { InboxMark } from "../inbox-done.ts";
import type { FireRow } from "../schedules.ts";

/** As much of a job as one needs to pick it out of a list. */
export interface GlimpsedJob {
  id: string;
  agent: string;
  status: string;
  createdAt: string;
  /** Its beginning. */
  prompt: string;
}

interface Glance {
  limit: number;
  /** One of these; without, all. */
  statuses?: readonly JobStatus[];
}

/**
 * The newest jobs of a store, without a trace: no file is made beside it, no lock is left, nothing in it changes. A store that
 * Baton did not make here is not opened. Only for a process that has not opened it otherwise, whose locks would be lost.
 */
export function glanceAtJobs(path: string, { limit, statuses }: Glance): GlimpsedJob[] {
  const wanted = statuses === undefined ? "" : `where status in (${statuses.map(() => "?").join(", ")})`;
  const rows = glance(path, (database) =>
    database
      .prepare(
        `select id, agent, status, created_at as createdAt, substr(snapshot ->> '$.prompt', 1, 200) as prompt
         from jobs ${wanted} order by created_at desc, id desc limit ?`,
      )
      .all(...(statuses ?? []), limit),
  );
  return (rows ?? []).map(({ id, agent, status, createdAt, prompt }) => ({
    id: String(id),
    agent: String(agent),
    status: String(status),
    createdAt: String(createdAt),
    prompt: String(prompt ?? ""),
  }));
}

/** As the inbox has it, which is above the store. */
interface ItemConflict
  extends Record<"source" | "item" | "title" | "url" | "job" | "agent" | "why" | "since", string> {}

type MissedFire = Omit<FireRow, "outcome" | "job">;

/** What may wait for a person in a store, in the same way. Undefined where that cannot be told. */
export interface GlimpsedWaiting
  extends Record<"asking" | "running" | "paused" | "failed" | "toReview", Job[]> {
  answered: Set<string>;
  missed: MissedFire[];
  conflicts: ItemConflict[];
  done: InboxMark[];
}

/** `since`: what failed or was missed before then is left out. */
export function glanceAtWaiting(path: string, since: Date): GlimpsedWaiting | undefined {
  const open = "state != 'closed' and answered_at is";
  const recent = since.toISOString();
  return glance(path, (database) => {
    const jobs = (where: string, ...values: string[]) =>
      database
        .prepare(`select snapshot from jobs where ${where}`)
        .all(...values)
        .flatMap(({ snapshot }): Job[] => (typeof snapshot === "string" ? [JSON.parse(snapshot)] : []));
    const answered = database.prepare(`select id from asks where ${open} not null`).all();
    const missed = database.prepare(
      `select agent, schedule, first_due as firstDue, due, count, reason, at from fires
       where id in (select max(id) from fires group by agent, schedule) and outcome = 'missed' and at >= ?`,
    );
    const conflicts = database.prepare(
      `select source, item, seen ->> '$.item.title' as title, seen ->> '$.item.url' as url, job, coalesce(agent, '') as agent,
         seen ->> '$.conflict.why' as why, seen ->> '$.conflict.since' as since
       from work_items
       where state in ('claiming', 'claimed', 'ending') and job is not null and seen ->> '$.conflict' is not null`,
    );
    return {
      asking: jobs(`id in (select job from asks where ${open} null)`),
      answered: new Set(answered.map(({ id }) => String(id))),
      running: jobs("status = 'running'"),
      paused: jobs("status = 'paused'"),
      failed: jobs("status = 'failed' and updated_at >= ?", recent),
      toReview: jobs("leaves is not null and status = 'completed'"),
      missed: missed.all(recent) as unknown as MissedFire[],
      conflicts: conflicts.all() as unknown as ItemConflict[],
      done: database.prepare("select kind, id, state from inbox_done").all() as unknown as InboxMark[],
    };
  });
}

/** Undefined where there is nothing that may be opened like this. */
function glance<T>(path: string, look: (database: DatabaseSync) => T): T | undefined {
  const made = madeStore(path);
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (!made || !file?.isFile() || file.ino !== made.inode || existsSync(`${path}-journal`)) return undefined;
  const database = new DatabaseSync(traceless(path), { readOnly: true });
  try {
    if (database.prepare("pragma application_id").get()?.application_id !== made.identity) return undefined;
    return look(database);
  } finally {
    database.close();
  }
}

/** Where nobody has it open, there is no log to read, and SQLite would leave one behind. */
function traceless(path: string): URL {
  const url = pathToFileURL(path);
  const hasLog = existsSync(`${path}-wal`) && existsSync(`${path}-shm`);
  url.search = hasLog ? "?readonly_shm=1" : "?immutable=1";
  return url;
}
