import { counted } from "../../util/figures.ts";
import { oneLine } from "../../util/printable.ts";
import { DAY_MS } from "../../util/time.ts";
import { withoutDone } from "./done.ts";
import type { InboxFacts, ItemConflict, MissedSchedule } from "./facts.ts";
import { askRow, circlesRow, done, failedRows, pausedRow, reviewRow, stallRow } from "./job-rows.ts";
import { INBOX_KINDS, type InboxRow } from "./row.ts";

/** How many of them wait for the person: a rule that could be added does not. */
export function needing(rows: readonly InboxRow[]): number {
  return rows.filter(({ kind }) => kind !== "denied").length;
}

const RECENT_MS = 7 * DAY_MS;

/** What failed or was missed before that, somebody has seen. */
export function recentSince(now: Date): Date {
  return new Date(now.getTime() - RECENT_MS);
}

/** Who needs a person, and for what: what waiting costs most comes first, and of that the oldest. */
export function inboxRows(all: InboxFacts): InboxRow[] {
  const facts = withoutDone(all);
  const rows = [
    ...facts.asking.flatMap((job) =>
      (job.asks ?? []).filter(({ ask }) => !facts.answered.has(ask)).map((ask) => askRow(job, ask)),
    ),
    ...facts.stalled.flatMap(stallRow),
    ...facts.circling.flatMap(circlesRow),
    ...(facts.brokenConfig ? [configRow(facts.brokenConfig)] : []),
    ...facts.conflicts.map(conflictRow),
    ...facts.paused
      .filter(({ pauseCode }) => pauseCode !== "asking" && pauseCode !== "awaiting")
      .map(pausedRow),
    ...failedRows(facts.failed),
    ...facts.missed.map(missedRow),
    ...facts.toReview.map(reviewRow),
    ...facts.denied.map(deniedRow),
  ];
  return rows.toSorted(
    (a, b) =>
      COSTS.indexOf(a.costs) - COSTS.indexOf(b.costs) ||
      INBOX_KINDS.indexOf(a.kind) - INBOX_KINDS.indexOf(b.kind) ||
      (a.since < b.since ? -1 : a.since > b.since ? 1 : 0),
  );
}

const COSTS: readonly InboxRow["costs"][] = ["slot", "work", "nothing"];

function conflictRow({ source, item, title, url, job, agent, why, since }: ItemConflict): InboxRow {
  return {
    kind: "work",
    id: job,
    title: oneLine(`${item}, which a job works on: ${why}`),
    agent,
    jobs: [job],
    item: { source, id: item },
    since,
    why: [{ at: since, text: oneLine(`${title} (${url}): ${why}`) }],
    costs: "slot",
    actions: [
      { does: "give the item back, and end the job", command: `baton work release ${item}` },
      { does: "end the job", command: `baton cancel ${job}` },
      done(job),
    ],
  };
}

function missedRow({ agent, schedule, due, count, reason, at }: MissedSchedule): InboxRow {
  return {
    kind: "schedule",
    id: `${agent}/${schedule}`,
    title: `${schedule} of ${agent} was missed${count > 1 ? ` ${counted(count, "time")}` : ""}`,
    agent,
    jobs: [],
    since: due,
    why: [{ at, text: oneLine(reason ?? "no fleet was running to start it") }],
    costs: "nothing",
    actions: [
      { does: "run it now", command: `baton schedules run ${agent} ${schedule}` },
      { does: "see its history", command: `baton schedules history ${agent} ${schedule}` },
      done(`${agent}/${schedule}`),
    ],
  };
}

function deniedRow({ agent, rule, times, since }: InboxFacts["denied"][number]): InboxRow {
  const id = `${agent}:${rule}`;
  return {
    kind: "denied",
    id,
    title: `${oneLine(rule)} was denied ${counted(times, "time")} this week: allow it?`,
    agent,
    jobs: [],
    since,
    why: [{ at: since, text: `no rule of ${agent} allows it` }],
    costs: "nothing",
    actions: [
      { does: "show the line for baton.yaml, and add it", command: `baton approve '${id}' --always` },
    ],
  };
}

function configRow({ file, message, since }: NonNullable<InboxFacts["brokenConfig"]>): InboxRow {
  const [line = ""] = message.split("\n");
  return {
    kind: "configuration",
    id: file,
    title: oneLine(line),
    jobs: [],
    since,
    why: [{ at: since, text: oneLine(message) }],
    costs: "work",
    actions: [{ does: "see all that is wrong with it", command: "baton config check" }],
  };
}
