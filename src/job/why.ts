import { isAsking } from "./asks/asks.ts";
import { type Description, describe } from "./describe.ts";
import type { JobEventType, JournalEvent, PauseCode } from "./events.ts";
import { type Job, statusBeforeQueue } from "./job.ts";
import { denials } from "./status-words.ts";

/** One of the two or three events that a status rests on: the latest of these types. */
export interface Cause {
  types: readonly JobEventType[];
  /** It counts only if it came after the job was last started or resumed. */
  isOfThisRun?: true;
  /** It counts only if it is bad news. */
  isTrouble?: true;
}

const STARTED: Cause = { types: ["job:started", "job:resumed"] };

/** The last thing that the agent, or Baton for it, was seen to do. */
const LAST_SEEN: Cause = {
  types: [
    "tool:start",
    "text",
    "retry",
    "limit:over",
    "context:handoff:start",
    "handoff:asked",
    "session:starting",
    "workspace:command",
    "workspace:ready",
  ],
  isOfThisRun: true,
};

const TROUBLE: Cause = {
  types: [
    "retry",
    "tool:end",
    "tool:denied",
    "hook",
    "workspace:command",
    "handoff:failed",
    "agent:switched",
    "warning",
  ],
  isOfThisRun: true,
  isTrouble: true,
};

const ofThisRun = (...types: JobEventType[]): Cause => ({ types, isOfThisRun: true });

/** What leads to each kind of pause. */
const BEFORE_PAUSE: Record<PauseCode, Cause> = {
  max_handoffs: { types: ["handoff:stored"] },
  handed_off: ofThisRun("handoff:stored"),
  thrash: { types: ["handoff:stored"] },
  limit_reached: LAST_SEEN,
  budget: LAST_SEEN,
  usage_limit: ofThisRun("limit:waiting", "retry", "agent:switched"),
  api_failing: ofThisRun("retry", "agent:switched"),
  stalled: ofThisRun("stall:suspected", "retry"),
  max_turns: LAST_SEEN,
  folder_gone: { types: ["workspace:ready"] },
  no_room: ofThisRun("handoff:unstored", "warning", "tool:start"),
  store_held: LAST_SEEN,
  item_lost: LAST_SEEN,
  owner_dies: { types: ["job:interrupted"] },
  hook: ofThisRun("hook"),
  requested: ofThisRun("pause:requested"),
  asking: { types: ["ask:made"] },
  awaiting: { types: ["person:awaited"] },
  ask_timeout: { types: ["ask:expired"] },
};

/** What to look for in the journal of a job, so that its status is explained. */
export function causesOf(job: Job): readonly Cause[] {
  if (job.compacted) return [{ types: ["journal:compacted"] }];
  switch (job.status) {
    case "created":
      return [{ types: ["job:created"] }];
    case "queued":
      return [{ types: [statusEvent(statusBeforeQueue(job))] }, { types: ["job:queued"] }];
    case "running":
      return [STARTED, ofThisRun("session:starting"), isAsking(job) ? ofThisRun("ask:made") : LAST_SEEN];
    case "waiting":
      return [STARTED, ofThisRun("limit:waiting", "workspace:waiting")];
    case "completed": {
      const left = ofThisRun(
        "workspace:proposed",
        "workspace:pushed",
        "workspace:committed",
        "workspace:kept",
      );
      return [STARTED, denials(job) > 0 ? { types: ["tool:denied"] } : left, { types: ["job:completed"] }];
    }
    case "failed":
      return [STARTED, TROUBLE, { types: ["job:failed"] }];
    case "paused":
      return [
        STARTED,
        job.pauseCode === null ? LAST_SEEN : BEFORE_PAUSE[job.pauseCode],
        { types: ["job:paused"] },
      ];
    case "cancelled":
      return [STARTED, LAST_SEEN, { types: ["job:cancelled"] }];
    case "interrupted":
      return [STARTED, LAST_SEEN, { types: ["job:interrupted"] }];
  }
}

/** With which a job came to a status in which it rests. */
function statusEvent(status: Job["status"]): JobEventType {
  switch (status) {
    case "completed":
    case "failed":
    case "paused":
    case "cancelled":
    case "interrupted":
      return `job:${status}`;
    case "created":
    case "queued":
    case "running":
    case "waiting":
      return "job:created";
  }
}

export type ToldEvent = JournalEvent & { told: Description };

/** Whether an event is such a cause. Undefined where it is not, or where there are no words for it. */
export function asCause(cause: Cause, event: JournalEvent): ToldEvent | undefined {
  const told = describe(event);
  if (!told || !cause.types.includes(event.type)) return undefined;
  if (cause.isTrouble && told.tone !== "bad" && told.tone !== "caution") return undefined;
  return { ...event, told };
}

/** What there is to say of a status besides its events. `clock`: a moment, as people read it. */
export function standing(job: Job, clock: (at: number) => string): string | undefined {
  if (job.status === "completed") return "The agent says that the work is done.";
  if (job.waiting) return `It continues by itself at ${clock(job.waiting.until)}.`;
  if (job.status === "waiting") return "It continues by itself when the other job has ended.";
  if (job.pauseCode === "asking") return waitsForAnswer(job);
  if (job.pauseCode === "awaiting") return "It continues with what is said next in its conversation.";
  if (job.status !== "running") return undefined;
  if (job.closing) return "Its work is over, and its workspace is being closed.";
  if (job.pendingHandoff) return `Handoff ${job.pendingHandoff.number} is being written.`;
  if (isAsking(job)) return waitsForAnswer(job);
  if (job.activeSince === null) return "It waits for what you say next.";
  if (job.pauseRequested) return pauses(job);
  return undefined;
}

function pauses({ tools }: Job): string {
  const names = [...new Set(tools.map(({ name }) => name))].join(", ");
  return names === ""
    ? "It pauses at its next boundary."
    : `It pauses at its next boundary, when what runs has ended: ${names}.`;
}

function waitsForAnswer({ asks = [] }: Job): string {
  return `It waits for your answer to ${asks.map(({ ask }) => ask).join(", ")}. See what it asks with: baton inbox`;
}
