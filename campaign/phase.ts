import type { JournalEvent } from "../src/job/events.ts";

/** Where a job is in its life, in the order in which it gets there. */
export const PHASES = ["set-up", "working", "handing off", "closing", "pushing", "removing"] as const;
export type Phase = (typeof PHASES)[number];

/** Where the job is after this event. The push itself makes no event when it begins. */
export function phaseAfter(phase: Phase, event: JournalEvent): Phase {
  switch (event.type) {
    case "job:created":
    case "job:resumed":
    case "job:started":
      if (phase === "pushing") return "closing";
      return phase === "closing" || phase === "removing" ? phase : "set-up";
    case "message:sent":
      return event.kind === "handoff" ? "handing off" : "working";
    case "context:handoff:start":
      return "handing off";
    case "handoff:cancelled":
    case "handoff:failed":
      return "working";
    case "session:ended":
      return event.reason === "completed" ? "closing" : phase;
    case "job:closing":
      return "closing";
    case "workspace:pushed":
    case "workspace:removing":
      return "removing";
    default:
      return phase;
  }
}

/** Where a job was when its owner was killed. `hasPushed`: that owner had begun a push. */
export function phaseAtDeath(events: readonly JournalEvent[], hasPushed: boolean): Phase {
  const attempt = events.at(-1)?.attempt;
  const isOnRecord = events.some((event) => event.type === "workspace:pushed" && event.attempt === attempt);
  if (hasPushed && !isOnRecord) return "pushing";
  return events.reduce<Phase>(phaseAfter, "set-up");
}

export function isOver(events: readonly JournalEvent[]): boolean {
  return events.some(({ type }) => type === "job:completed");
}
