import type { AccessState } from "../sqlite/access-state.ts";

/** What is sent to where. */
interface Export {
  /** Its folder. */
  project: string;
  /** An address. */
  to: string;
}

/** The number of the last event of which a place has heard. Undefined: it has heard of none. */
export function positionOf({ db }: AccessState, { project, to }: Export): number | undefined {
  return db
    .prepare<[string, string], { position: number }>(
      "SELECT position FROM exports WHERE project = ? AND destination = ?",
    )
    .get(project, to)?.position;
}

export function setPosition({ db }: AccessState, { project, to }: Export, position: number): void {
  db.prepare(
    "INSERT INTO exports (project, destination, position) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET position = excluded.position",
  ).run(project, to, position);
}
