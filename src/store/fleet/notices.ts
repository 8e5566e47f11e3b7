import type { FleetState } from "../sqlite/fleet-state.ts";

/** Whose people are told. */
export interface Addressee {
  /** The folder of the project. */
  project: string;
  agent: string;
}

interface HeldRow {
  id: number;
  at: number;
  notice: string;
}

/** What was held back, as it was put there. */
export interface Held<T> {
  id: number;
  at: Date;
  notice: T;
}

/** Whoever took notices to tell them has told them by then, or has died. */
const TELLING_MS = 5 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

/**
 * Decides, for all processes of this user, whether a notice is told now. `until`: till when it is to be held, by when one like it
 * was told. Returns that moment where it is held; it is on record then.
 */
export function admitNotice(
  { db }: FleetState,
  { project, agent }: Addressee,
  notice: { alike: string; now: Date; holds: unknown; until: (toldAt: Date | undefined) => Date | undefined },
): Date | undefined {
  const { alike, now, holds } = notice;
  return db
    .transaction(() => {
      db.prepare("DELETE FROM notices_told WHERE at < ?").run(now.getTime() - KEPT_MS);
      const told = db
        .prepare<[string], number>("SELECT at FROM notices_told WHERE alike = ?")
        .pluck()
        .get(alike);
      const due = notice.until(told === undefined ? undefined : new Date(told));
      if (due === undefined) {
        db.prepare(
          "INSERT INTO notices_told (alike, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at",
        ).run(alike, now.getTime());
      } else {
        db.prepare("INSERT INTO notices_held (project, agent, at, due, notice) VALUES (?, ?, ?, ?, ?)").run(
          project,
          agent,
          now.getTime(),
          due.getTime(),
          JSON.stringify(holds),
        );
      }
      return due;
    })
    .immediate();
}

/** Takes what is due, oldest first, to be told as one. It is there until it is forgotten: who dies first has told nothing. */
export function takeHeldNotices<T>(
  { db }: FleetState,
  { project, agent }: Addressee,
  now: Date,
  due: Date = now,
): Held<T>[] {
  const rows = db
    .transaction(() =>
      db
        .prepare<[number, string, string, number, number], HeldRow>(
          `UPDATE notices_held SET taken = ?
           WHERE project = ? AND agent = ? AND due <= ? AND (taken IS NULL OR taken < ?)
           RETURNING id, at, notice`,
        )
        .all(now.getTime(), project, agent, due.getTime(), now.getTime() - TELLING_MS),
    )
    .immediate();
  return rows
    .sort((a, b) => a.id - b.id)
    .map(({ id, at, notice }) => {
      const held: T = JSON.parse(notice);
      return { id, at: new Date(at), notice: held };
    });
}

/** They are told. */
export function forgetHeldNotices({ db }: FleetState, ids: readonly number[]): void {
  db.prepare("DELETE FROM notices_held WHERE id IN (SELECT value FROM json_each(?))").run(
    JSON.stringify(ids),
  );
}
