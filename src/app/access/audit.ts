import { type AuditEntry, type AuditFilter, addAudit, auditIn, endAudit } from "../../store/access/audit.ts";
import { type AccessState, openAccessState } from "../../store/sqlite/access-state.ts";
import { messageOf } from "../../util/errors.ts";
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

/** What became of what was recorded as begun. */
export function endDeed(
  state: AccessState,
  id: number,
  { outcome, ...rest }: Parameters<typeof endAudit>[2],
): void {
  endAudit(state, id, { ...rest, outcome: outcome.slice(0, LONGEST) });
}

/** What somebody on this machine is doing. */
export interface BegunDeed {
  /** On what, once that is known: a job that is new, for example. */
  isOn(target: string): void;
  /** What became of it. */
  end(outcome: string): void;
}

type DeedHere = Omit<Deed, "who" | "outcome"> & { by?: "agent" };

/** Records what somebody on this machine is about to do. A trail that cannot be written keeps nobody from their work. */
export async function auditHere({ by, ...deed }: DeedHere): Promise<BegunDeed> {
  const origin = process.stdin.isTTY ? "terminal" : "command line";
  let { target } = deed;
  let id: number | undefined;
  try {
    using state = openAccessState();
    id = audit(state, { origin, ...deed, who: await whoIsHere(by), outcome: "begun" });
  } catch {
    // As said above.
  }
  const note = (outcome: string) => {
    if (id === undefined) return;
    try {
      using again = openAccessState();
      endDeed(again, id, { outcome, target });
    } catch {
      // It stays `begun`, which is all that is known then.
    }
  };
  return {
    isOn(known) {
      if (known === target) return;
      target = known;
      // Whoever is killed meanwhile has left this.
      note("begun");
    },
    end: note,
  };
}

/** Records it, does it, and records what became of it. `done` gets what says on what it was. */
export async function audited<T>(
  deed: DeedHere,
  work: () => Promise<T>,
  targetOf: (done: T) => string | undefined = () => undefined,
): Promise<T> {
  const begun = await auditHere(deed);
  try {
    const done = await work();
    const target = targetOf(done);
    if (target !== undefined) begun.isOn(target);
    begun.end("done");
    return done;
  } catch (error) {
    begun.end(`refused: ${messageOf(error)}`);
    throw error;
  }
}

async function whoIsHere(by?: "agent"): Promise<string> {
  const job = process.env.BATON_JOB_ID;
  if (job) return `agent:${job}`;
  return by ?? ((await asker.insideAgent()) === undefined ? "person" : "agent");
}

/** Records what people did in a chat. `who`: their service, and their id there. */
export function auditChat(deed: Omit<Deed, "origin">): void {
  try {
    using state = openAccessState();
    audit(state, { ...deed, origin: "chat" });
  } catch {
    // As above.
  }
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
