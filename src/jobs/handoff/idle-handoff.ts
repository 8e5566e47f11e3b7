import { existsSync } from "node:fs";
import { agentNow, type HandoffRecord } from "../../job/job.ts";
import { messageOf } from "../../util/errors.ts";
import { checkpoint } from "../run/checkpoints.ts";
import type { ClaimedJob } from "../run/phases.ts";
import { claimedJob, readyForWork } from "../run/set-up.ts";
import { endEarlierAttempts } from "../run/spec.ts";
import type { HandoffFrom } from "./handoff-from.ts";
import { HandoffRequests } from "./handoff-requests.ts";
import { handedTo, NO_FIGURES, startEvent } from "./handoffs.ts";
import { makeJobHandoff } from "./job-handoff.ts";

interface Idle extends Pick<ClaimedJob, "journal" | "config" | "agent" | "env" | "signal" | "now"> {
  /** Others that had sessions of it, or may continue it. */
  standIns?: ClaimedJob["standIns"];
  /** The agent that continues it. */
  to?: string;
}

/**
 * Makes the handoff of a claimed job that nobody runs, from what is known of its last session. The job stays as it is, and
 * continues from the document when it is resumed. A document that no session has read yet is all there is to hand over.
 * Undefined where no session has done anything.
 */
export async function handOffIdle(idle: Idle): Promise<HandoffRecord | undefined> {
  const claimed = claimedJob(idle);
  const { journal, config, job, append, record } = claimed;
  const { id, sessions, handoffs, workspace, context } = job();
  const switched = idle.to === undefined ? undefined : handedTo(agentNow(job()), idle.to);
  const unread = handoffs.at(-1);
  if (unread?.toSession === null) {
    if (switched) await record(switched);
    return unread;
  }
  const session = sessions.at(-1);
  if (!session) return undefined;
  await endEarlierAttempts({ job: id, attempt: journal.attempt });
  const path = workspace?.path ?? config.workingDirectory;
  const work = await readyForWork(
    { ...claimed, workspace: { strategy: "static", path }, workspaceEnv: {} },
    {
      requests: new HandoffRequests({ ...claimed, conversation: undefined }),
      prestarted: undefined,
      conversation: undefined,
    },
  );
  const transcript = await work.crew.transcriptOf(session.id);
  if (transcript === undefined && session.turns === 0) return undefined;
  await work.crew.whose(session.id)?.sessions.collect(session.id);
  const from: HandoffFrom = { kind: "gone", session: session.id, trigger: "manual", waits: false };
  const number = handoffs.length + 1;
  const figures = context ?? NO_FIGURES;
  const startedAt = performance.now();
  const isThere = existsSync(path);
  await record(startEvent(job(), from, number, figures));
  try {
    await makeJobHandoff(isThere ? work : withoutFolder(work), {
      from,
      number,
      figures,
      background: { tasks: [], atRest: false },
      ownAccountOnly: false,
      checkpoint: isThere
        ? checkpoint(work, `handoff ${number}`)
        : Promise.resolve(job().checkpoint ?? undefined),
      startedAt,
      switched,
      signal: claimed.signal,
      onStoring: () => {},
    });
  } catch (error) {
    append({ type: "handoff:failed", session: session.id, message: messageOf(error) });
    throw error;
  }
  return job().handoffs.at(-1);
}

/** A living document lies in the folder of the work, and is not begun anew where that is gone. */
function withoutFolder<T extends Pick<ClaimedJob, "config">>(work: T): T {
  const { livingDocument: _, ...handoff } = work.config.handoff;
  return { ...work, config: { ...work.config, handoff } };
}
