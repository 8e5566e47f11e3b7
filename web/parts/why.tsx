import { useState } from "preact/hooks";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { moment } from "./words.ts";

/** Every status can be asked why: the two or three events that made it so. */
export function Why({ job }: { job: string }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <button type="button" class="plain link" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        why?
      </button>
      {isOpen && <Causes job={job} />}
    </>
  );
}

function Causes({ job }: { job: string }) {
  const { value, error } = useAsked((signal) => api.getWhy({ job }, undefined, { signal }), [job]);
  if (error) return <span class="soft"> {error}</span>;
  if (!value) return <span class="soft"> …</span>;
  return (
    <ul class="causes">
      {value.events.map(({ seq, at, title, text }) => (
        <li key={seq}>
          <a class="link" href={`/jobs/${job}?event=${seq}`}>
            {moment(at, now.value)}
          </a>{" "}
          {title} <span class="soft">{text}</span>
        </li>
      ))}
    </ul>
  );
}
