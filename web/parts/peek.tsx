import { useEffect } from "preact/hooks";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { rowOf } from "../data/fleet.ts";
import { inbox } from "../data/inbox.ts";
import { Composer } from "../pages/job/composer.tsx";
import { Causes } from "./why.tsx";
import { firstLine, moment } from "./words.ts";

const LINES = 8;

/** Why a job is what it is, what it does now, and a word to it, without leaving the list. */
export function Peek({ job, close }: { job: string; close: () => void }) {
  const row = rowOf(job);
  const { value } = useAsked(
    (signal) => api.listEvents({ job, limit: 40 }, undefined, { signal }),
    [job, row?.seq],
  );
  const told = (value?.events ?? []).filter(({ title }) => title !== undefined).slice(-LINES);
  const waiting = inbox.value.filter(({ ask, jobs }) => ask && jobs.includes(job));
  // It stays at the lower edge of the screen: the row that it is about is not to be behind it.
  useEffect(() => document.getElementById(`job-${job}`)?.scrollIntoView({ block: "nearest" }), [job]);
  return (
    <aside class="peek" aria-label={`A look at ${row?.title ?? job}`}>
      <div class="group">
        <h2>{row?.title ?? job}</h2>
        <button type="button" class="plain" onClick={close}>
          close<kbd>Space</kbd>
        </button>
      </div>
      <div class="seen">
        <div class="entry inset">
          <b>Why {row?.status}</b>
          <Causes job={job} status={row?.status} />
          {waiting.map(({ id, title }) => (
            <div key={id}>
              It asks:{" "}
              <a class="link" href="/">
                {title}
              </a>
            </div>
          ))}
        </div>
        {told.map(({ seq, at, title, text }) => (
          <div class="event" key={seq}>
            <span class="at">{moment(at, now.value)}</span>
            <span />
            <span class="what">
              <b>{title}</b> {firstLine(text ?? "", 240)}
            </span>
          </div>
        ))}
      </div>
      <Composer job={job} />
    </aside>
  );
}
