import { liveness, type Owner, type ProcessIdentity } from "../../processes/owner.ts";
import type { AccessState } from "../sqlite/access-state.ts";

/** Where the projects of a fleet are served. */
export interface ServerRecord {
  id: number;
  owner: Owner;
  url: string;
  projects: string[];
}

interface Row {
  id: number;
  owner: string;
  url: string;
  projects: string;
}

export function addServer(
  state: AccessState,
  owner: ProcessIdentity,
  { url, projects }: Pick<ServerRecord, "url" | "projects">,
  now: Date,
): number {
  for (const { id, owner } of allServers(state)) if (liveness(owner) === "dead") removeServer(state, id);
  const record: Owner = { ...owner, since: now.toISOString() };
  const { lastInsertRowid } = state.db
    .prepare("INSERT INTO servers (owner, url, projects) VALUES (?, ?, ?)")
    .run(JSON.stringify(record), url, JSON.stringify(projects));
  return Number(lastInsertRowid);
}

export function removeServer({ db }: AccessState, id: number): void {
  db.prepare("DELETE FROM servers WHERE id = ?").run(id);
}

/** Those that run, as far as can be seen from here. */
export function serversIn(state: AccessState): ServerRecord[] {
  return allServers(state).filter(({ owner }) => liveness(owner) !== "dead");
}

function allServers({ db }: AccessState): ServerRecord[] {
  return db
    .prepare<[], Row>("SELECT id, owner, url, projects FROM servers ORDER BY id")
    .all()
    .map(({ id, url, owner, projects }) => ({
      id,
      url,
      owner: JSON.parse(owner),
      projects: JSON.parse(projects),
    }));
}
