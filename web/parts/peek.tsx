import { useEffect, useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { rowOf } from "../data/fleet.ts";
import { Composer } from "../pages/job/composer.tsx";
import { firstLine, moment } from "./words.ts";

const LINES = 8;

/** What a job does now, and a word to it, without leaving the list. */
export function Peek({ job, close }: { job: string; close: () => void }) {
  const panel = useRef<HTMLElement>(null);
  const row = rowOf(job);
  const { value } = useAsked(
    (signal) => api.listEvents({ job, limit: 40 }, undefined, { signal }),
    [job, row?.seq],
  );
  const told = (value?.events ?? []).filter(({ title }) => title !== undefined).slice(-LINES);
  useEffect(() => panel.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <aside class="peek" ref={panel} aria-label={`A look at ${row?.title ?? job}`}>
      <div class="group">
        <h2>{row?.title ?? job}</h2>
        <button type="button" class="plain" onClick={close}>
          close<kbd>Space</kbd>
        </button>
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
      <Composer job={job} />
    </aside>
  );
}
