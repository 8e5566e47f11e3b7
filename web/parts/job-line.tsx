import { fleet, type JobRow } from "../data/fleet.ts";
import { asks } from "../data/inbox.ts";
import { Gauge } from "./gauge.tsx";
import { Lines } from "./lines-of.tsx";
import { Status } from "./status.tsx";
import { clock, counted, lasting, moment, money } from "./words.ts";

interface JobLineProps {
  row: JobRow;
  now: Date;
  isChosen: boolean;
  isMarked: boolean;
  /** When it would start, of one that waits. */
  starts?: string | undefined;
  choose: () => void;
  mark: () => void;
  /** Why it is what it is. */
  ask: () => void;
}

/** One job in one line, the same wherever jobs are listed. */
export function JobLine({ row, now, isChosen, isMarked, starts, choose, mark, ask }: JobLineProps) {
  const word = asks(row) ? "waits for you" : wordOf(row);
  const stands = standing(row, now);
  const does = activity(row, now, starts);
  return (
    <article
      id={`job-${row.id}`}
      class={`row${isChosen || isMarked ? " chosen" : ""}`}
      onFocusIn={choose}
      aria-label={`${row.title}, ${asks(row) ? word : row.status}`}
    >
      <button
        type="button"
        class="plain"
        title="why?"
        onClick={() => {
          choose();
          ask();
        }}
      >
        <Status status={asks(row) ? "paused" : row.status} word={word} />
        <span class="hidden-from-eyes">: why?</span>
      </button>
      <span>
        <a class="title" href={`/jobs/${row.id}`} title={row.title}>
          {row.title}
        </a>
        <span class="meta of-two">
          <span>{metaOf(row)}</span>
          <Lines of={row} />
        </span>
      </span>
      {row.context ? (
        <Gauge of={windowOf(row.context)} />
      ) : (
        <span class={does === "" ? "meta spans" : "meta"} title={stands}>
          {stands}
        </span>
      )}
      <span class="meta mono" title={does}>
        {does}
      </span>
      <span class="num" title="what it has cost">
        {costOf(row)}
        {row.costLimitUsd !== undefined && <span class="meta"> of {money(row.costLimitUsd)}</span>}
      </span>
      <span
        class="num meta"
        title={row.finishedAt ? "from the request to its end" : "since it was asked for"}
      >
        {lasting(Date.parse(row.finishedAt ?? now.toISOString()) - Date.parse(row.createdAt))}
      </span>
      <label class="mark-of-row">
        <input type="checkbox" checked={isMarked} onChange={mark} aria-label={`Mark: ${row.title}`} />
      </label>
    </article>
  );
}

/** What it does at this moment, or when it would begin to. */
function activity({ status, tool, updatedAt }: JobRow, now: Date, starts: string | undefined): string {
  if (tool) return `${tool.name} ${tool.summary} · ${clock(since(tool.since, now))}`;
  if (status === "queued") {
    if (starts === undefined) return "";
    return Date.parse(starts) <= now.getTime() ? "starts any moment" : `starts about ${moment(starts, now)}`;
  }
  if (status !== "running") return "";
  const quiet = since(updatedAt, now);
  return quiet < QUIET_MS ? "" : `nothing for ${lasting(quiet)}`;
}

/** A model may take as long to answer. */
const QUIET_MS = 20_000;

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

function metaOf({ agent, runsOn, branch, source, epic, pullRequest, sessions }: JobRow): string {
  const who = runsOn && runsOn !== agent ? `${agent} → ${runsOn}` : agent;
  const session = sessions > 1 ? `session ${sessions}` : undefined;
  return [who, session, source.name, branch, epic, pullRequest].filter(Boolean).join(" · ");
}

/** What is to be said of a job that has no window open. */
function standing(row: JobRow, now: Date): string {
  if (row.status === "queued") return placeOf(row)?.reason.text ?? "waits for a slot";
  if (row.waitsUntil !== undefined) return `limit resets ${moment(row.waitsUntil, now)}`;
  if (row.error !== undefined) return row.error;
  if (row.sessions > 1) return `${row.sessions} sessions, ${counted(row.handoffs, "handoff")}`;
  return "";
}

type Cost = Pick<JobRow, "costUsd" | "costEstimated" | "simulatedCostUsd">;

/** What was paid, or, where nothing was, what a simulated model would have cost. */
export function costOf({ costUsd, costEstimated, simulatedCostUsd = 0 }: Cost): string {
  if (costUsd === null) return "cost unknown";
  if (costUsd === 0 && simulatedCostUsd > 0) return `sim. ${money(simulatedCostUsd)}`;
  return `${costEstimated ? "est. " : ""}${money(costUsd)}`;
}

const since = (at: string, now: Date) => now.getTime() - Date.parse(at);
