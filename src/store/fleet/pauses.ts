import type { FleetState } from "../sqlite/fleet-state.ts";

/** A queue from which nothing starts. `agent`: or only nothing of this one's. */
export interface Pause {
  project: string;
  agent: string | null;
  since: string;
}

export function pausesIn({ db }: FleetState): Pause[] {
  return db
    .prepare<[], Pause>("SELECT project, nullif(agent, '') AS agent, since FROM pauses ORDER BY since")
    .all();
}

/** One that is there stays as it is. */
export function pause({ db }: FleetState, { project, agent, since }: Pause): void {
  db.prepare("INSERT INTO pauses (project, agent, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
    project,
    agent ?? "",
    since,
  );
}

/** False where there was none. */
export function unpause({ db }: FleetState, { project, agent }: Omit<Pause, "since">): boolean {
  const { changes } = db
    .prepare("DELETE FROM pauses WHERE project = ? AND agent = ?")
    .run(project, agent ?? "");
  return changes > 0;
}
