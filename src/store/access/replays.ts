import type { AccessState } from "../sqlite/access-state.ts";

/** What became of a request that its sender named, so that it can be sent again without being done again. */
export interface Replay {
  /** Of method, path and body. */
  request: string;
  /** Null: it was begun, and whether it was done is not known. */
  status: number | null;
  body: string | null;
}

/** Records that a request is about to be done. Returns what is recorded of one of that name already. */
export function beginRequest(
  { db }: AccessState,
  { token, key, request }: { token: string; key: string; request: string },
  now: Date,
): Replay | undefined {
  const { changes } = db
    .prepare("INSERT INTO replays (token, key, request, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
    .run(token, key, request, now.toISOString());
  if (changes > 0) return undefined;
  return db
    .prepare<[string, string], Replay>(
      "SELECT request, status, body FROM replays WHERE token = ? AND key = ?",
    )
    .get(token, key);
}

export function endRequest(
  { db }: AccessState,
  { token, key }: { token: string; key: string },
  { status, body }: { status: number; body: string },
): void {
  db.prepare("UPDATE replays SET status = ?, body = ? WHERE token = ? AND key = ?").run(
    status,
    body,
    token,
    key,
  );
}

/** It was refused before anything was done: it can be sent again, put right. */
export function dropRequest({ db }: AccessState, { token, key }: { token: string; key: string }): void {
  db.prepare("DELETE FROM replays WHERE token = ? AND key = ?").run(token, key);
}

export function forgetRequests({ db }: AccessState, before: Date): void {
  db.prepare("DELETE FROM replays WHERE at < ?").run(before.toISOString());
}
