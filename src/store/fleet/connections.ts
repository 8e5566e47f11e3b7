import { liveness, type Owner, type ProcessIdentity } from "../../processes/owner.ts";
import type { FleetState } from "../sqlite/fleet-state.ts";

/** The connection of a bot to its service: one process has it, for all agents and projects that use the bot. */
export interface ConnectionRecord {
  /** Tells bots apart without saying the token. */
  bot: string;
  service: string;
  /** Their folders. */
  projects: string[];
  owner: Owner;
  /** Null while it is not connected. */
  connectedAt: string | null;
  problem: string | null;
}

interface Row {
  bot: string;
  service: string;
  projects: string;
  owner: string;
  connected_at: string | null;
  problem: string | null;
}

/** Makes this process the one that has the connection. Where another one has it that may be alive, says which. */
export function takeConnection(
  state: FleetState,
  wanted: Pick<ConnectionRecord, "bot" | "service" | "projects">,
  owner: ProcessIdentity,
  now: Date,
): { other: ConnectionRecord } | undefined {
  const { db } = state;
  return db
    .transaction(() => {
      const other = connectionsIn(state).find(({ bot }) => bot === wanted.bot);
      const isOwn = other?.owner.pid === owner.pid && other.owner.startTime === owner.startTime;
      if (other && !isOwn && liveness(other.owner) !== "dead") return { other };
      const record: Owner = { ...owner, since: now.toISOString() };
      db.prepare(
        `INSERT OR REPLACE INTO connections (bot, service, projects, owner, connected_at, problem)
         VALUES (?, ?, ?, ?, NULL, NULL)`,
      ).run(wanted.bot, wanted.service, JSON.stringify(wanted.projects), JSON.stringify(record));
      return undefined;
    })
    .immediate();
}

export function tellConnection(
  { db }: FleetState,
  bot: string,
  { connectedAt, problem }: Pick<ConnectionRecord, "connectedAt" | "problem">,
): void {
  db.prepare("UPDATE connections SET connected_at = ?, problem = ? WHERE bot = ?").run(
    connectedAt,
    problem,
    bot,
  );
}

export function dropConnection({ db }: FleetState, bot: string): void {
  db.prepare("DELETE FROM connections WHERE bot = ?").run(bot);
}

export function connectionsIn({ db }: FleetState): ConnectionRecord[] {
  return db
    .prepare<[], Row>("SELECT * FROM connections ORDER BY bot")
    .all()
    .map(({ bot, service, projects, owner, connected_at: connectedAt, problem }) => ({
      ...{ bot, service, connectedAt, problem },
      projects: JSON.parse(projects),
      owner: JSON.parse(owner),
    }));
}
