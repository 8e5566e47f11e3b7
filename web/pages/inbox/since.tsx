import { useState } from "preact/hooks";
import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { now } from "../../data/clock.ts";
import { type JobRow, rows } from "../../data/fleet.ts";
import { inbox } from "../../data/inbox.ts";
import { useKeys } from "../../data/keys.ts";
import { looked, type Since, sinceThen } from "../../data/looked.ts";
import { Nothing } from "../../parts/answer.tsx";
import { over } from "../../parts/palette.tsx";
import { Status } from "../../parts/status.tsx";
import { counted, moment, money } from "../../parts/words.ts";
import { Counts } from "../job/changes/counts.tsx";

/** Git is asked of each. */
const MOST = 8;
const LATELY = 5;

/** What has happened since this browser last showed the dashboard. */
export function SinceYouLooked() {
  const then = looked.value;
  const all = rows.value;
  const [isOpen, open] = useState(false);
  const since = then ? sinceThen(then, all) : [];
  useKeys(
    since.length > 0
      ? [{ key: "s", does: "what happened since you looked, by job", run: () => open(!isOpen) }]
      : [],
  );
  if (!then) return <AtWork all={all} />;
  return (
    <div class="since">
      <p class="sub">
        Since you looked at {moment(then.at, now.value)}: {inWords(since)}.{" "}
        {since.length > 0 && (
          <button type="button" class="plain link" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
            {isOpen ? "close" : "by job"}
            <kbd>s</kbd>
          </button>
        )}
      </p>
      {isOpen && (
        <ul class="rows plain-list" aria-label="Since you looked">
          {since.slice(0, MOST).map((each) => (
            <JobSince key={each.row.id} since={each} at={then.at} />
          ))}
          {since.length > MOST && (
            <li class="entry inset soft">and {counted(since.length - MOST, "other job")}</li>
          )}
        </ul>
      )}
    </div>
  );
}

/** For somebody who was here all the time. */
function AtWork({ all }: { all: readonly JobRow[] }) {
  const running = all.filter(({ status }) => status === "running").length;
  const last = all.filter(({ finishedAt }) => finishedAt !== undefined).slice(0, LATELY);
  if (all.length === 0) return <NoJobYet />;
  return (
    <>
      <p class="sub">{running === 0 ? "Nothing is at work." : `${counted(running, "job")} at work.`}</p>
      {inbox.value.length === 0 && last.length > 0 && (
        <div class="rows">
          <div class="group">
            <h2>Lately</h2>
            <a href="/board">all jobs</a>
          </div>
          {last.map(({ id, title, agent, status, finishedAt = "" }) => (
            <div class="entry" key={id}>
              <a class="line lately" href={`/jobs/${id}`}>
                <Status status={status} />
                <span class="title">{title}</span>
                <span class="meta">
                  {agent} · {moment(finishedAt, now.value)}
                </span>
              </a>
            </div>
          ))}
        </div>
      )}
    </>
  );
}

function NoJobYet() {
  return (
    <>
      <Nothing says="No job has run here yet. Start one here, or on a terminal:" command='baton run "…"' />
      <button type="button" class="main" onClick={() => (over.value = "new job")}>
        New job<kbd>g n</kbd>
      </button>
    </>
  );
}

function inWords(since: readonly Since[]): string {
  const became = (status: string) => since.filter((each) => each.became === status).length;
  const handoffs = since.reduce((sum, each) => sum + each.handoffs, 0);
  const cost = since.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const jobs = (count: number, did: string) => (count > 0 ? [`${counted(count, "job")} ${did}`] : []);
  const parts = [
    ...jobs(became("completed"), "finished"),
    ...jobs(became("failed"), "failed"),
    ...jobs(became("paused"), "paused"),
    ...jobs(since.filter(({ isNew }) => isNew).length, "started"),
    ...(handoffs > 0 ? [counted(handoffs, "handoff")] : []),
    ...(cost > 0 ? [money(cost)] : []),
  ];
  return parts.join(", ") || "nothing has happened";
}

function JobSince({ since: { row, isNew, became, handoffs, costUsd }, at }: { since: Since; at: string }) {
  const { id, title, agent, status, seq } = row;
  const { value } = useAsked((signal) => changedSince(id, isNew ? undefined : at, signal), [id, at, seq]);
  const what = [
    agent,
    became === undefined ? undefined : isNew ? `new, ${became}` : `now ${became}`,
    handoffs > 0 ? counted(handoffs, "handoff") : undefined,
    costUsd > 0 ? money(costUsd) : undefined,
  ];
  const from = value?.from === undefined ? "" : `?since=${value.from}`;
  return (
    <li class="entry">
      <a class="line" href={`/jobs/${id}/changes${from}`}>
        <Status status={status} />
        <span class="wide">
          <span class="title">{title}</span>
          <span class="meta">{what.filter(Boolean).join(" · ")}</span>
        </span>
        {value && value.files > 0 && (
          <span class="num">
            {counted(value.files, "file")} <Counts added={value.added} removed={value.removed} />
          </span>
        )}
      </a>
    </li>
  );
}

/** From the newest checkpoint of then. A job that was not there yet has all its changes since. */
async function changedSince(job: string, at: string | undefined, signal: AbortSignal) {
  const { checkpoints } = await api.listCheckpoints({ job }, undefined, { signal });
  const from = at === undefined ? undefined : checkpoints.findLast((point) => point.at <= at)?.number;
  const wanted = { job, ...(from !== undefined && { from }) };
  const { files } = await api.getDiff(wanted, undefined, { signal });
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  return { from, files: files.length, added: sum("added"), removed: sum("removed") };
}
