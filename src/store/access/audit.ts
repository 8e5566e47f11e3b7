import type { AccessState } from "../sqlite/access-state.ts";

/** Something that somebody did, or tried to. */
export interface AuditEntry {
  id: number;
  at: string;
  /** `person`, `token:<name>`, `browser:<name>`, `schedule:<agent>/<name>`, `agent:<job>`, `slack:<id>`. */
  who: string;
  /** Such as `job.cancel`. */
  what: string;
  /** On what: a job, an ask, an agent, a schedule, a token. */
  target: string | null;
  /** Its folder. */
  project: string | null;
  /** From where: an address, `terminal`, `command line`, `mcp`, `fleet` or `chat`. */
  origin: string | null;
  /** `done`, or why not. `begun`: whether it was done is not known. */
  outcome: string;
}

export interface AuditFilter {
  /** Older than this one. */
  before?: number;
  who?: string;
  /** Any of these. */
  what?: readonly string[];
  target?: string;
  projects?: readonly string[];
  limit: number;
}

export function addAudit({ db }: AccessState, entry: Omit<AuditEntry, "id">): number {
  const { at, who, what, target, project, origin, outcome } = entry;
  return Number(
    db
      .prepare(
        "INSERT INTO audit (at, who, what, target, project, origin, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)",
      )
      .run(at, who, what, target, project, origin, outcome).lastInsertRowid,
  );
}

/** What became of it, and on what it was, where that was known only then. */
export function endAudit(
  { db }: AccessState,
  id: number,
  {
    outcome,
    target,
    project,
  }: { outcome: string; target?: string | undefined; project?: string | undefined },
): void {
  db.prepare(
    "UPDATE audit SET outcome = ?, target = coalesce(?, target), project = coalesce(?, project) WHERE id = ?",
  ).run(outcome, target ?? null, project ?? null, id);
}

/** The newest first. */
export function auditIn(
  { db }: AccessState,
  { before, who, what, target, projects, limit }: AuditFilter,
): AuditEntry[] {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const where = (condition: string, ...given: (string | number)[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (before !== undefined) where("id < ?", before);
  if (who !== undefined) where("who = ?", who);
  if (target !== undefined) where("target = ?", target);
  const oneOf = (column: string, any: readonly string[]) =>
    where(`${column} IN (${any.map(() => "?").join(", ")})`, ...any);
  if (what) oneOf("what", what);
  if (projects) oneOf("project", projects);
  const only = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return db
    .prepare<(string | number)[], AuditEntry>(`SELECT * FROM audit${only} ORDER BY id DESC LIMIT ?`)
    .all(...values, limit);
}
