import { agentNow, type HandoffRecord, type Job, type SessionRecord } from "../../job/job.ts";

/** How a job goes on from what its journal says. */
export type Start =
  | { mode: "fresh" }
  /** From a document that another job left, or a person wrote. */
  | { mode: "document"; document: string; recorded: boolean }
  /** From a document that could not be stored, and waits in the journal. */
  | { mode: "unstored" }
  /** From a document that no session has taken over yet. */
  | { mode: "continuation"; handoff: HandoffRecord }
  /** In its last session. `handOff`: that session had no room left to work in. */
  | { mode: "resumed"; session: SessionRecord; handOff: boolean }
  /** Its last session can say nothing any more, so the facts of it are handed on. */
  | { mode: "facts"; session: SessionRecord };

/** Whether the agent that runs the job had the session. */
export function isOfCurrent(job: Pick<Job, "agent" | "runsOn">, session: SessionRecord): boolean {
  return (session.agent ?? job.agent) === agentNow(job);
}

/** What is left of the last session: its program can continue it, only its transcript can be read, or neither. */
export type Left = "session" | "transcript" | "nothing";

export function startOf(job: Job, left: Left): Start {
  const session = job.sessions.at(-1);
  const beginning: Start = job.continues
    ? { mode: "document", document: job.continues.document, recorded: job.continues.recorded ?? false }
    : { mode: "fresh" };
  if (!session) return beginning;
  if (job.pendingHandoff?.unstored) return { mode: "unstored" };
  const handoff = job.handoffs.at(-1);
  if (handoff && handoff.toSession === null) return { mode: "continuation", handoff };
  // Where another agent has the job by now, its program does not know that session.
  const isOurs = isOfCurrent(job, session);
  if (!isOurs && session.turns > 0) return { mode: "facts", session };
  if (!isOurs || left !== "session" || session.lastMessage === null) {
    // What it did since an earlier handoff is in its facts alone.
    if (left === "transcript" && session.turns > 0) return { mode: "facts", session };
    if (handoff) return { mode: "continuation", handoff };
    return session.turns > 0 ? { mode: "facts", session } : beginning;
  }
  if (session.endReason === "out-of-context") return { mode: "facts", session };
  const handOff = job.pendingHandoff !== null || session.endReason === "handoff";
  return { mode: "resumed", session, handOff };
}
