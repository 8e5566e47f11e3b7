import type { Caller, Level, Rights } from "./accounts.ts";
import { notFound, Refusal } from "./refusal.ts";
import type { FakeRepository } from "./repository.ts";

/** What a call takes: of a token that has rights of its own, and of the account behind it. */
export interface Needed {
  method: string;
  right?: readonly [keyof Rights, Level];
  role?: "read" | "triage" | "write";
}

const ROLES = ["read", "triage", "write", "maintain", "admin"];

/** What is not to be seen is not there; what a token of its own rights lacks is named. */
export function checkRights(
  repository: FakeRepository,
  caller: Caller,
  { right, role, method }: Needed,
): void {
  if (caller.kind === "app") return;
  const isListed = caller.repos === undefined || caller.repos.some((repo) => repo === repository.fullName);
  const own = roleOf(repository, caller);
  if (!isListed || own === undefined) throw notFound();
  if (caller.rights && right && !has(caller.rights[right[0]], right[1])) {
    const who = caller.kind === "installation" ? "integration" : "personal access token";
    throw new Refusal(
      403,
      `Resource not accessible by ${who}`,
      {},
      {
        "x-accepted-github-permissions": `${right[0]}=${right[1]}`,
      },
    );
  }
  if (caller.scopes && method !== "GET" && !caller.scopes.some((scope) => /^(?:public_)?repo$/.test(scope)))
    throw notFound();
  if (role !== undefined && ROLES.indexOf(own) < ROLES.indexOf(role)) throw notFound();
  if (repository.options.archived && method !== "GET")
    throw new Refusal(403, "Repository was archived so is read-only.");
}

const has = (level: Level | undefined, needed: Level) => level === "write" || level === needed;

export function roleOf(repository: FakeRepository, caller: Caller): string | undefined {
  return caller.kind === "installation" ? "write" : repository.roleOf(caller.login);
}

export const mayWrite = (repository: FakeRepository, caller: Caller) =>
  ROLES.indexOf(roleOf(repository, caller) ?? "") >= ROLES.indexOf("write");
export const mayLabel = (repository: FakeRepository, caller: Caller) =>
  ROLES.indexOf(roleOf(repository, caller) ?? "") >= ROLES.indexOf("triage");

export function permissionOf(role: string | undefined): string {
  if (role === "maintain") return "write";
  if (role === "triage") return "read";
  return role ?? "none";
}

export function mustBeTheirs(repository: FakeRepository, caller: Caller, by: string): void {
  if (by !== caller.login && !mayWrite(repository, caller))
    throw new Refusal(403, "Must have admin rights to Repository.");
}
