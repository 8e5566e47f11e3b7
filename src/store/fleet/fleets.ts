import { liveness, type Owner, type ProcessIdentity } from "../../processes/owner.ts";
import type { FleetState } from "../sqlite/fleet-state.ts";

/** What another process can ask of a fleet. `drain`: it ends when what runs has ended. */
export type Asked = "stop" | "drain";

/** A process that runs jobs by itself. */
export interface FleetRecord {
  id: number;
  owner: Owner;
  /** Their folders. */
  projects: string[];
  asked: Asked | null;
  /** How many jobs it runs at once; null before it has looked. */
  slots: number | null;
}

interface Row {
  id: number;
  owner: string;
  projects: string;
  asked: Asked | null;
  slots: number | null;
}

/** Makes this process the fleet of its projects. Where another process is that for one of them, says which. */
export function registerFleet(
  state: FleetState,
  owner: ProcessIdentity,
  projects: readonly string[],
  now: Date,
): { id: number } | { other: FleetRecord; project: string } {
  const { db } = state;
  return db
    .transaction(() => {
      removeDead(state);
      for (const other of fleetsIn(state)) {
        const project = projects.find((each) => other.projects.includes(each));
        if (project !== undefined) return { other, project };
      }
      const record: Owner = { ...owner, since: now.toISOString() };
      const { lastInsertRowid } = db
        .prepare("INSERT INTO fleets (owner, projects) VALUES (?, ?)")
        .run(JSON.stringify(record), JSON.stringify(projects));
      return { id: Number(lastInsertRowid) };
    })
    .immediate();
}

/** With it go the slots that it has. */
export function removeFleet({ db }: FleetState, id: number): void {
  db.prepare("DELETE FROM fleets WHERE id = ?").run(id);
}

/** What ended without saying so has no slots any more. */
export function removeDead(state: FleetState): void {
  for (const { id, owner } of allFleets(state)) if (liveness(owner) === "dead") removeFleet(state, id);
}

/** Those that run, as far as can be seen from here. */
export function fleetsIn(state: FleetState): FleetRecord[] {
  return allFleets(state).filter(({ owner }) => liveness(owner) !== "dead");
}

/** The one that runs the jobs of a project. */
export function fleetOf(state: FleetState, project: string): FleetRecord | undefined {
  return fleetsIn(state).find(({ projects }) => projects.includes(project));
}

/** How many jobs a fleet runs at once, for whoever says why one waits. */
export function recordSlots({ db }: FleetState, id: number, slots: number): void {
  db.prepare("UPDATE fleets SET slots = ? WHERE id = ? AND slots IS NOT ?").run(slots, id, slots);
}

export function ask({ db }: FleetState, id: number, asked: Asked): void {
  db.prepare("UPDATE fleets SET asked = ? WHERE id = ?").run(asked, id);
}

export function askedOf({ db }: FleetState, id: number): Asked | null {
  const row = db.prepare<[number], { asked: Asked | null }>("SELECT asked FROM fleets WHERE id = ?").get(id);
  return row?.asked ?? null;
}

function allFleets({ db }: FleetState): FleetRecord[] {
  return db
    .prepare<[], Row>("SELECT id, owner, projects, asked, slots FROM fleets ORDER BY id")
    .all()
    .map(({ id, owner, projects, asked, slots }) => ({
      id,
      owner: JSON.parse(owner),
      projects: JSON.parse(projects),
      asked,
      slots,
    }));
}
