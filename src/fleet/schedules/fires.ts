import type { ScheduleConfig } from "../../config/config.ts";
import { MINUTE_MS } from "../../util/time.ts";
import { dueUntil, type Stretch } from "./due.ts";

/** What became of due times. `queued`: a job was put into the queue for the last of them. `looking`: jobs begin for what its work source has. */
export interface Fire extends Stretch {
  outcome: "queued" | "looking" | "skipped" | "missed" | "coalesced";
  reason: string | null;
}

/** What is known of a schedule when its time is looked at. */
export interface ScheduleState {
  /** Its next due time. */
  next: Date;
  isPaused: boolean;
  /** Its jobs that wait in the queue, and those that run. */
  waiting: number;
  running: number;
}

export interface Decision {
  /** The oldest first; every due time before `next` is in exactly one of them. */
  fires: Fire[];
  /** Not past where very many are left: then it is to be decided again. */
  next: Date | undefined;
}

/** A run that is so late is one that was missed: the fleet did not run, or the machine slept. */
const LATE_MS = MINUTE_MS;

/** Of jobs with this, only one runs at a time. Undefined where they may run beside one another. */
export function serialOf(agent: string, { name, overlap }: Pick<ScheduleConfig, "name" | "overlap">) {
  return overlap === "queue" ? `${agent}/${name}` : undefined;
}

/** What to do about all that has come due. */
export function decide(schedule: ScheduleConfig, state: ScheduleState, now: Date): Decision {
  const { catchUp, windowMs } = schedule;
  const since = new Date(now.getTime() - (catchUp === "skip" ? LATE_MS : windowMs));
  const { old, recent, next } = dueUntil(schedule, state.next, { since, now });
  const fires: Fire[] = [];
  if (old) fires.push({ ...old, outcome: "missed", reason: missedBecause(schedule) });
  if (recent.length === 0) return { fires, next };
  if (state.isPaused) return { fires: [...fires, as("skipped", recent, "it is paused")], next };
  const [wanted, coalesced] = catchUp === "all" ? [recent, []] : [recent.slice(-1), recent.slice(0, -1)];
  if (coalesced.length > 0) fires.push(as("coalesced", coalesced, "into the latest one"));
  let waiting = state.waiting;
  for (const due of wanted) {
    const reason = overlapping(schedule, { ...state, waiting });
    if (reason) fires.push(as(reason.outcome, [due], reason.why));
    else {
      fires.push(as(schedule.workSource ? "looking" : "queued", [due], null));
      waiting++;
    }
  }
  return { fires, next };
}

function overlapping(
  { overlap, catchUp, workSource }: ScheduleConfig,
  { waiting, running }: ScheduleState,
): { outcome: "skipped" | "coalesced"; why: string } | undefined {
  // Each of its jobs has an item of its own.
  if (workSource) return undefined;
  switch (overlap) {
    case "parallel":
      return undefined;
    case "skip":
      return waiting + running > 0
        ? { outcome: "skipped", why: "the run before it has not ended" }
        : undefined;
    case "queue":
      // One that waits does what this one would.
      return waiting > 0 && catchUp !== "all"
        ? { outcome: "coalesced", why: "into the run that waits in the queue" }
        : undefined;
  }
}

function missedBecause({ catchUp }: ScheduleConfig): string {
  return catchUp === "skip"
    ? "no fleet ran then, and catch_up is skip"
    : "no fleet ran then, and it is older than catch_up_window";
}

function as(outcome: Fire["outcome"], dues: readonly Date[], reason: string | null): Fire {
  const [first, last] = [dues[0], dues.at(-1)];
  if (!first || !last) throw new Error("a fire has a due time");
  return { first, last, count: dues.length, outcome, reason };
}
