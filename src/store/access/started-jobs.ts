import type { AccessState } from "../sqlite/access-state.ts";

/** A job that somebody is about to start by a token. */
export interface StartedJob {
  token: string;
  /** Its folder. */
  project: string;
  job: string;
  /** By which its sender named the request. */
  request: string | null;
  at: string;
}

export function addStarted({ db }: AccessState, { token, project, job, request, at }: StartedJob): void {
  db.prepare(
    "INSERT INTO started_jobs (token, project, job, request, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  ).run(token, project, job, request, at);
}

/** Those of a token, since then. */
export function startedBy({ db }: AccessState, token: string, since: Date): StartedJob[] {
  return db
    .prepare<[string, string], StartedJob>("SELECT * FROM started_jobs WHERE token = ? AND at >= ?")
    .all(token, since.toISOString());
}

export function hasStarted({ db }: AccessState, token: string, job: string): boolean {
  return db.prepare("SELECT 1 FROM started_jobs WHERE token = ? AND job = ?").get(token, job) !== undefined;
}

/** What a request of this name was about to start. */
export function startedAs({ db }: AccessState, token: string, request: string): StartedJob | undefined {
  return db
    .prepare<[string, string], StartedJob>("SELECT * FROM started_jobs WHERE token = ? AND request = ?")
    .get(token, request);
}

export function forgetStarted({ db }: AccessState, before: Date): void {
  db.prepare("DELETE FROM started_jobs WHERE at < ?").run(before.toISOString());
}
