import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  addToken,
  recordUse,
  revoke,
  type Scope,
  type TokenKind,
  type TokenRecord,
  tokenById,
  tokensIn,
} from "../../store/access/tokens.ts";
import { type AccessState, openAccessState } from "../../store/sqlite/access-state.ts";
import { refuseInsideAgent } from "../trust/person.ts";
import { UsageError } from "../usage-error.ts";
import { audit } from "./audit.ts";
import { type Principal, principalOf } from "./principal.ts";

export interface WantedToken {
  name: string;
  scopes: readonly Scope[];
  /** Folders. Null: all projects. */
  projects: readonly string[] | null;
  /** It calls this schedule, as `coder/deploy`, and may do nothing else. */
  hook?: string;
  expiresAt?: Date;
  maxJobs?: number;
  maxCostUsd?: number;
}

/** A token as every face shows it: its keys are a promise to users. */
export interface TokenView {
  id: string;
  kind: TokenKind;
  name: string;
  scopes: Scope[];
  /** Missing: all. */
  projects?: string[];
  /** Of a webhook's: the agent and the schedule that it calls. */
  hook?: string;
  maxJobsPerDay?: number;
  maxCostUsdPerDay?: number;
  createdAt: string;
  expiresAt?: string;
  usedAt?: string;
  state: "valid" | "expired" | "revoked";
}

/** Makes a token. Its secret is in the answer, and nowhere else. Only a person can: an agent could answer its own asks with it. */
export async function createToken(wanted: WantedToken): Promise<{ token: TokenView; secret: string }> {
  await refuseInsideAgent("make a token");
  using state = openAccessState();
  const now = new Date();
  const made = newToken(state, wanted.hook === undefined ? "token" : "webhook", wanted, now);
  const deed = { who: "person", what: "token.create", target: wanted.name, origin: "terminal" };
  audit(state, { ...deed, ...onlyProject(wanted) });
  return { token: viewOf(made.record, now), secret: made.secret };
}

/** So that it is on the trail of the project that it is for. */
function onlyProject({ projects }: Pick<WantedToken, "projects">): { project?: string } {
  const [project, ...others] = projects ?? [];
  return project !== undefined && others.length === 0 ? { project } : {};
}

export function newToken(
  state: AccessState,
  kind: TokenKind,
  { name, scopes, projects, hook, expiresAt, maxJobs, maxCostUsd }: WantedToken,
  now: Date,
): { record: TokenRecord; secret: string } {
  if (name.trim() === "" || name.length > 80)
    throw new UsageError("A token needs a name of 1 to 80 characters.");
  const isTaken = tokensIn(state).some(
    (each) => each.kind !== "browser" && each.name === name && isValid(each, now),
  );
  if (kind !== "browser" && isTaken)
    throw new UsageError(`There is a token ${name} already. Choose another name, or revoke it.`);
  const id = randomBytes(6).toString("hex");
  const secret = randomBytes(32).toString("base64url");
  const record: TokenRecord = {
    ...{ id, kind, name, hash: hashOf(secret), scopes: [...scopes] },
    projects: projects && [...projects],
    hook: hook ?? null,
    maxJobs: maxJobs ?? null,
    maxCostUsd: maxCostUsd ?? null,
    createdAt: now.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: null,
    usedAt: null,
  };
  addToken(state, record);
  return { record, secret: `${PREFIX}${id}_${secret}` };
}

/** By which scanners of leaked secrets can know one. */
const PREFIX = "baton_";
const FORM = /^baton_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Whose token it is. Undefined for one that is not known, is expired or was revoked; how long that takes does not tell which. */
export function holderOf(state: AccessState, token: string, now: Date): Principal | undefined {
  const [, id = "", secret = ""] = FORM.exec(token) ?? [];
  const record = tokenById(state, id);
  const given = Buffer.from(hashOf(secret), "hex");
  const known = Buffer.from(record?.hash ?? hashOf("nobody's"), "hex");
  const isRight = timingSafeEqual(given, known);
  if (!record || !isRight || !isValid(record, now)) return undefined;
  if (record.usedAt === null || now.getTime() - Date.parse(record.usedAt) > USE_MS) recordUse(state, id, now);
  return principalOf(record);
}

/** When it was last used is of interest to about the minute. */
const USE_MS = 60_000;

/** As they are now: undefined once they were revoked. */
export function stillHolds(state: AccessState, { id }: Principal, now: Date): Principal | undefined {
  const record = tokenById(state, id);
  return record && isValid(record, now) ? principalOf(record) : undefined;
}

/** What a page must send along that was given this token by its own server: another site cannot know it. */
export function proofOf(token: string): string {
  return createHmac("sha256", token).update("a page of Baton's own").digest("base64url");
}

function isValid({ revokedAt, expiresAt }: TokenRecord, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now.toISOString());
}

export function listTokens(now: Date): TokenView[] {
  using state = openAccessState();
  return tokensNow(state, now);
}

export function tokensNow(state: AccessState, now: Date): TokenView[] {
  return tokensIn(state).map((record) => viewOf(record, now));
}

/** By its name or its id. Whatever was signed in with it is so no more, and its streams end. */
export async function revokeToken(named: string): Promise<TokenView> {
  await refuseInsideAgent("revoke a token");
  using state = openAccessState();
  return revokeIn(state, named, { who: "person", from: "terminal" });
}

export function revokeIn(
  state: AccessState,
  named: string,
  { who, from }: { who: string; from: string },
): TokenView {
  const now = new Date();
  const known = tokensIn(state).filter((each) => isValid(each, now));
  const [found, ...others] = known.filter(({ id, name }) => id === named || name === named);
  if (!found) throw new UsageError(`There is no valid token ${named}. \`baton token list\` lists them.`);
  if (others.length > 0)
    throw new UsageError(`Several are called ${named}. Name its id: \`baton token list\` has it.`);
  revoke(state, found.id, now);
  audit(state, { who, what: "token.revoke", target: found.name, origin: from, ...onlyProject(found) });
  return viewOf({ ...found, revokedAt: now.toISOString() }, now);
}

function viewOf(record: TokenRecord, now: Date): TokenView {
  const { id, kind, name, scopes, projects, hook, maxJobs, maxCostUsd, createdAt, expiresAt, usedAt } =
    record;
  return {
    ...{ id, kind, name, scopes },
    ...(projects && { projects }),
    ...(hook !== null && { hook }),
    ...(maxJobs !== null && { maxJobsPerDay: maxJobs }),
    ...(maxCostUsd !== null && { maxCostUsdPerDay: maxCostUsd }),
    createdAt,
    ...(expiresAt !== null && { expiresAt }),
    ...(usedAt !== null && { usedAt }),
    state: record.revokedAt !== null ? "revoked" : isValid(record, now) ? "valid" : "expired",
  };
}
