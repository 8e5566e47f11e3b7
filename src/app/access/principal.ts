import type { Scope, TokenKind, TokenRecord } from "../../store/access/tokens.ts";

export { SCOPES, type Scope } from "../../store/access/tokens.ts";

/** Who asks, and what they may. */
export interface Principal {
  id: string;
  kind: TokenKind;
  name: string;
  scopes: readonly Scope[];
  /** Folders of projects. Null: all. */
  projects: readonly string[] | null;
  /** The agent and the schedule that it calls, as `coder/deploy`, and that is all it may. Null: it is of no webhook. */
  hook: string | null;
  maxJobs: number | null;
  maxCostUsd: number | null;
  expiresAt: string | null;
}

export function principalOf(record: TokenRecord): Principal {
  const { id, kind, name, scopes, projects, hook, maxJobs, maxCostUsd, expiresAt } = record;
  return { id, kind, name, scopes, projects, hook, maxJobs, maxCostUsd, expiresAt };
}

/** Whoever may start something or answer may look as well, and an admin may do all. */
export function may({ scopes }: Pick<Principal, "scopes">, scope: Scope): boolean {
  if (scopes.includes("admin") || scopes.includes(scope)) return true;
  return scope === "view" && (scopes.includes("start") || scopes.includes("answer"));
}

export function maySee({ projects }: Pick<Principal, "projects">, root: string): boolean {
  return projects === null || projects.includes(root);
}

/** As the audit trail names them. */
export function nameOf({ kind, name }: Pick<Principal, "kind" | "name">): string {
  return `${kind}:${name}`;
}
