import { type AuditEntry, type AuditFilter, addAudit, auditIn, endAudit } from "../../store/access/audit.ts";
import { type AccessState, openAccessState } from "../../store/sqlite/access-state.ts";
import { asker } from "../trust/person.ts";

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
): number {
  return addAudit(state, {
    at: new Date().toISOString(),
    ...{ who, what, target: target ?? null, project: project ?? null, origin: origin ?? null },
    outcome: outcome.slice(0, LONGEST),
  });
}

/**
 * Records what somebody on this machine is about to do. Call what it returns with what became of it. A trail that cannot be
 * written keeps nobody from their work.
 */
export async function auditHere(
  deed: Omit<Deed, "who" | "origin" | "outcome">,
): Promise<(outcome: string) => void> {
  const origin = process.stdin.isTTY ? "terminal" : "command line";
  try {
    using state = openAccessState();
    const id = audit(state, { ...deed, who: await whoIsHere(), origin, outcome: "begun" });
    return (outcome) => {
      try {
        using again = openAccessState();
        endAudit(again, id, outcome.slice(0, LONGEST));
      } catch {
        // It stays `begun`, which is all that is known then.
      }
    };
  } catch {
    return () => {};
  }
}

async function whoIsHere(): Promise<string> {
  const job = process.env.BATON_JOB_ID;
  if (job) return `agent:${job}`;
  return (await asker.insideAgent()) === undefined ? "person" : "agent";
}

/** Records the jobs that schedules started. What became of their other due times is in their history. */
export function auditFires(
  project: string,
  fires: readonly { agent: string; schedule: string; job?: string }[],
): void {
  const started = fires.flatMap(({ agent, schedule, job }) =>
    job === undefined ? [] : [{ who: `schedule:${agent}/${schedule}`, target: job }],
  );
  if (started.length === 0) return;
  try {
    using state = openAccessState();
    for (const deed of started) audit(state, { ...deed, what: "startJob", project, origin: "fleet" });
  } catch {
    // As above.
  }
}

/** The newest first. */
export function auditTrail(filter: AuditFilter): AuditEntry[] {
  using state = openAccessState();
  return auditIn(state, filter);
}
