import type { FleetState } from "../sqlite/fleet-state.ts";
import { removeDead } from "./fleets.ts";

/** The right to run one job now. */
export interface Slot {
  project: string;
  job: string;
  agent: string;
  fleet: number;
  since: string;
}

/** All that are taken, by fleets that may be alive. */
export function slotsIn(state: FleetState): Slot[] {
  removeDead(state);
  return state.db
    .prepare<[], Slot>("SELECT project, job, agent, fleet, since FROM slots ORDER BY since")
    .all();
}

/** Takes one, unless by now there are `total` or more. */
export function takeSlot(state: FleetState, slot: Slot, total: number): boolean {
  const { db } = state;
  return db
    .transaction(() => {
      if (slotsIn(state).length >= total) return false;
      db.prepare(
        "INSERT INTO slots (project, job, agent, fleet, since) VALUES (@project, @job, @agent, @fleet, @since)",
      ).run(slot);
      db.prepare(
        "INSERT INTO served (project, agent, at) VALUES (@project, @agent, @since) ON CONFLICT DO UPDATE SET at = excluded.at",
      ).run(slot);
      return true;
    })
    .immediate();
}

export function giveSlotBack({ db }: FleetState, { project, job }: Pick<Slot, "project" | "job">): void {
  db.prepare("DELETE FROM slots WHERE project = ? AND job = ?").run(project, job);
}

/** When a job of each agent last got a slot. */
export function lastServed({ db }: FleetState): (project: string, agent: string) => string | undefined {
  const rows = db
    .prepare<[], { project: string; agent: string; at: string }>("SELECT project, agent, at FROM served")
    .all();
  const times = new Map(rows.map(({ project, agent, at }) => [`${project}\0${agent}`, at]));
  return (project, agent) => times.get(`${project}\0${agent}`);
}

/** Whether a fleet has ever run a job of this project. */
export function hasServed({ db }: FleetState, project: string): boolean {
  return db.prepare("SELECT 1 FROM served WHERE project = ? LIMIT 1").get(project) !== undefined;
}
