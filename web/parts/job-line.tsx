import { fleet, type JobRow } from "../data/fleet.ts";
import { Gauge } from "./gauge.tsx";
import { Status } from "./status.tsx";
import { clock, lasting, moment, money } from "./words.ts";

interface JobLineProps {
  row: JobRow;
  now: Date;
  isChosen: boolean;
  isMarked: boolean;
  choose: () => void;
}

/** One job in one line, the same wherever jobs are listed. */
export function JobLine({ row, now, isChosen, isMarked, choose }: JobLineProps) {
  return (
    <a
      id={`job-${row.id}`}
      class={`row${isChosen || isMarked ? " chosen" : ""}`}
      href={`/jobs/${row.id}`}
      onFocus={choose}
      aria-label={`${row.title}, ${row.status}`}
    >
      <Status status={row.status} word={wordOf(row)} />
      <span>
        <span class="title">
          {isMarked && "☑ "}
          {row.title}
        </span>
        <span class="meta">{metaOf(row)}</span>
      </span>
      {row.context ? <Gauge of={windowOf(row.context)} /> : <span class="meta">{standing(row, now)}</span>}
      <span class="meta mono">
        {row.tool ? `${row.tool.name} ${row.tool.summary} · ${clock(since(row.tool.since, now))}` : ""}
      </span>
      <span class="num">
        {costOf(row)}
        {row.costLimitUsd !== undefined && <span class="meta"> of {row.costLimitUsd}</span>}
      </span>
      <span class="num meta">
        {lasting(Date.parse(row.finishedAt ?? now.toISOString()) - Date.parse(row.createdAt))}
      </span>
    </a>
  );
}

function windowOf(context: NonNullable<JobRow["context"]>) {
  const { tokens, window, mark, estimated, turnsLeft } = context;
  return {
    tokens,
    contextWindow: window,
    handoffAt: mark,
    ...(estimated && { isEstimate: true }),
    ...(turnsLeft !== undefined && { turnsLeft }),
  };
}

function wordOf(row: JobRow): string {
  if (row.status === "queued") return `queued ${placeOf(row)?.position ?? ""}`.trimEnd();
  if (row.status === "completed" && row.denied) return `done, ${row.denied} denied`;
  return row.status;
}

function placeOf({ id }: JobRow) {
  return fleet.value?.projects.flatMap(({ queue }) => queue).find(({ job }) => job === id);
}

function metaOf({ agent, runsOn, branch, source, epic, pullRequest }: JobRow): string {
  const who = runsOn && runsOn !== agent ? `${agent} → ${runsOn}` : agent;
  return [who, source.name, branch, epic, pullRequest].filter(Boolean).join(" · ");
}

/** What is to be said of a job that has no window open. */
function standing(row: JobRow, now: Date): string {
  if (row.status === "queued") return placeOf(row)?.reason.text ?? "waits for a slot";
  if (row.waitsUntil !== undefined) return `limit resets ${moment(row.waitsUntil, now)}`;
  if (row.error !== undefined) return row.error;
  if (row.sessions > 1) return `${row.sessions} sessions, ${row.handoffs} handoffs`;
  return "";
}

export function costOf({ costUsd, costEstimated }: Pick<JobRow, "costUsd" | "costEstimated">): string {
  if (costUsd === null) return "cost unknown";
  return `${costEstimated ? "est. " : ""}${money(costUsd)}`;
}

const since = (at: string, now: Date) => now.getTime() - Date.parse(at);
