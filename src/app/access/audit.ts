import { type AuditEntry, type AuditFilter, addAudit, auditIn } from "../../store/access/audit.ts";
import { type AccessState, openAccessState } from "../../store/sqlite/access-state.ts";

export type { AuditEntry } from "../../store/access/audit.ts";

interface Deed {
  who: string;
  what: string;
  target?: string;
  project?: string;
  origin?: string;
  /** Default: `done`. */
  outcome?: string;
}

const LONGEST = 500;

/** Records who did what. */
export function audit(
  state: AccessState,
  { who, what, target, project, origin, outcome = "done" }: Deed,
): void {
  addAudit(state, {
    at: new Date().toISOString(),
    ...{ who, what, target: target ?? null, project: project ?? null, origin: origin ?? null },
    outcome: outcome.slice(0, LONGEST),
  });
}

/** The newest first. */
export function auditTrail(filter: AuditFilter): AuditEntry[] {
  using state = openAccessState();
  return auditIn(state, filter);
}
