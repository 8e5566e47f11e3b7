import type { AccessState } from "../sqlite/access-state.ts";

/** What whoever has a token may do. `start` and `answer` may look, too; `admin` may do all. */
export const SCOPES = ["view", "start", "answer", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** `browser`: that of a person who signed in. `webhook`: starts the jobs of one schedule, and does nothing else. */
export type TokenKind = "token" | "browser" | "webhook";

export interface TokenRecord {
  id: string;
  kind: TokenKind;
  name: string;
  /** Of its secret part, which is kept nowhere. */
  hash: string;
  scopes: Scope[];
  /** Their folders. Null: all. */
  projects: string[] | null;
  /** Of a webhook's: the agent and the schedule that it calls, as `coder/deploy`. */
  hook: string | null;
  /** In a day. */
  maxJobs: number | null;
  /** Of the jobs that it started within a day. */
  maxCostUsd: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  usedAt: string | null;
}

interface Row {
  id: string;
  kind: TokenKind;
  name: string;
  hash: string;
  scopes: string;
  projects: string | null;
  hook: string | null;
  max_jobs: number | null;
  max_cost_usd: number | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  used_at: string | null;
}

export function addToken({ db }: AccessState, token: Omit<TokenRecord, "revokedAt" | "usedAt">): void {
  db.prepare(
    `INSERT INTO tokens (id, kind, name, hash, scopes, projects, hook, max_jobs, max_cost_usd, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    token.id,
    token.kind,
    token.name,
    token.hash,
    JSON.stringify(token.scopes),
    token.projects && JSON.stringify(token.projects),
    token.hook,
    token.maxJobs,
    token.maxCostUsd,
    token.createdAt,
    token.expiresAt,
  );
}

const lookUp = (db: AccessState["db"]) => db.prepare<[string], Row>("SELECT * FROM tokens WHERE id = ?");

/** Every stream asks again and again whether its token still holds. */
const lookUps = new WeakMap<AccessState["db"], ReturnType<typeof lookUp>>();

export function tokenById({ db }: AccessState, id: string): TokenRecord | undefined {
  const known = lookUps.get(db) ?? lookUp(db);
  lookUps.set(db, known);
  const row = known.get(id);
  return row && recordOf(row);
}

/** The newest first. */
export function tokensIn({ db }: AccessState): TokenRecord[] {
  return db.prepare<[], Row>("SELECT * FROM tokens ORDER BY created_at DESC, id").all().map(recordOf);
}

/** False where it was revoked before. */
export function revoke({ db }: AccessState, id: string, now: Date): boolean {
  const at = now.toISOString();
  return (
    db.prepare("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL").run(at, id).changes > 0
  );
}

export function recordUse({ db }: AccessState, id: string, now: Date): void {
  db.prepare("UPDATE tokens SET used_at = ? WHERE id = ?").run(now.toISOString(), id);
}

/** What has been of no use for so long is not kept. */
export function forgetTokens({ db }: AccessState, before: Date): void {
  const at = before.toISOString();
  db.prepare("DELETE FROM tokens WHERE revoked_at < ? OR expires_at < ?").run(at, at);
}

function recordOf(row: Row): TokenRecord {
  const { id, kind, name, hash } = row;
  return {
    ...{ id, kind, name, hash },
    scopes: JSON.parse(row.scopes),
    projects: row.projects === null ? null : JSON.parse(row.projects),
    hook: row.hook,
    maxJobs: row.max_jobs,
    maxCostUsd: row.max_cost_usd,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    usedAt: row.used_at,
  };
}
