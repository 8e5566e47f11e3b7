import type { FleetState } from "../sqlite/fleet-state.ts";

/** How a fleet stands to the files of a project that it runs. */
export interface ConfigurationRead {
  project: string;
  /** When other settings than before came to hold; null: they are those that it began with. */
  changedAt: string | null;
  /** Why the files as they are now are not used, and since when. */
  problem: string | null;
  since: string | null;
}

interface Row {
  project: string;
  changed_at: string | null;
  problem: string | null;
  since: string | null;
}

/** It goes with its fleet. */
export function recordConfiguration({ db }: FleetState, fleet: number, read: ConfigurationRead): void {
  db.prepare(
    `INSERT INTO configurations (project, fleet, changed_at, problem, since) VALUES (@project, @fleet, @changedAt, @problem, @since)
     ON CONFLICT DO UPDATE SET fleet = excluded.fleet, changed_at = excluded.changed_at, problem = excluded.problem, since = excluded.since`,
  ).run({ ...read, fleet });
}

/** Undefined where nothing has changed since its fleet began. */
export function configurationOf({ db }: FleetState, project: string): ConfigurationRead | undefined {
  const row = db
    .prepare<[string], Row>(
      "SELECT project, changed_at, problem, since FROM configurations WHERE project = ?",
    )
    .get(project);
  if (!row) return undefined;
  const { changed_at: changedAt, ...read } = row;
  return { ...read, changedAt };
}

/** Has a fleet read the files of its projects now. Returns the number of the asking, see `hasRead`. */
export function askToRead({ db }: FleetState, fleet: number): number {
  const row = db
    .prepare<[number], { reads_asked: number }>(
      "UPDATE fleets SET reads_asked = reads_asked + 1 WHERE id = ? RETURNING reads_asked",
    )
    .get(fleet);
  return row?.reads_asked ?? 0;
}

/** The number that it was last asked for, where it has not read since. */
export function readsAsked({ db }: FleetState, fleet: number): number | undefined {
  return db
    .prepare<[number], { reads_asked: number }>(
      "SELECT reads_asked FROM fleets WHERE id = ? AND reads_asked > reads_done",
    )
    .get(fleet)?.reads_asked;
}

export function recordReads({ db }: FleetState, fleet: number, number: number): void {
  db.prepare("UPDATE fleets SET reads_done = ? WHERE id = ?").run(number, fleet);
}

export function hasRead({ db }: FleetState, fleet: number, number: number): boolean {
  const row = db
    .prepare<[number], { reads_done: number }>("SELECT reads_done FROM fleets WHERE id = ?")
    .get(fleet);
  return row !== undefined && row.reads_done >= number;
}
