import type { Job } from "../../job/job.ts";
import type { InboxMark } from "../../store/inbox-done.ts";
import type { InboxFacts, ItemConflict, MissedSchedule } from "./facts.ts";
import type { InboxRow } from "./row.ts";

/** What a row is about, as it is now. None where the row cannot be taken away. */
export function marksOf({ kind, id, jobs }: InboxRow, facts: InboxFacts): InboxMark[] {
  const ofIt = (job: Job) => jobs.includes(job.id);
  switch (kind) {
    case "circles":
      return facts.circling.filter(ofIt).map(circlingMark);
    case "failed":
      return facts.failed.filter(ofIt).map(failedMark);
    case "review":
      return facts.toReview.filter(ofIt).map(reviewMark);
    case "work":
      return facts.conflicts.filter(({ job }) => jobs.includes(job)).map(conflictMark);
    case "schedule":
      return facts.missed.map(missedMark).filter((mark) => mark.id === id);
    case "approval":
    case "question":
    case "stall":
    case "configuration":
    case "paused":
    case "denied":
      return [];
  }
}

/** The facts without those that a person took away and that have not changed since. */
export function withoutDone(facts: InboxFacts): InboxFacts {
  const done = new Set(facts.done.map(keyOf));
  const isLeft = (mark: InboxMark) => !done.has(keyOf(mark));
  return {
    ...facts,
    circling: facts.circling.filter((job) => isLeft(circlingMark(job))),
    failed: facts.failed.filter((job) => isLeft(failedMark(job))),
    conflicts: facts.conflicts.filter((conflict) => isLeft(conflictMark(conflict))),
    missed: facts.missed.filter((missed) => isLeft(missedMark(missed))),
    toReview: facts.toReview.filter((job) => isLeft(reviewMark(job))),
  };
}

function circlingMark({ id, circles = [] }: Job): InboxMark {
  return { kind: "circles", id, state: String(circles.at(-1)?.seq) };
}

function failedMark({ id, seq }: Job): InboxMark {
  return { kind: "failed", id, state: String(seq) };
}

function reviewMark({ id, seq }: Job): InboxMark {
  return { kind: "review", id, state: String(seq) };
}

function conflictMark({ job, why, since }: ItemConflict): InboxMark {
  return { kind: "work", id: job, state: `${why} ${since}` };
}

export function missedMark({
  agent,
  schedule,
  due,
}: Pick<MissedSchedule, "agent" | "schedule" | "due">): InboxMark {
  return { kind: "schedule", id: `${agent}/${schedule}`, state: due };
}

function keyOf({ kind, id, state }: InboxMark): string {
  return JSON.stringify([kind, id, state]);
}
