import { useState } from "preact/hooks";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { useKeys } from "../data/keys.ts";
import { moment } from "./words.ts";

/** Every status can be asked why: the two or three events that made it so. */
export function Why({ job, status }: { job: string; status: string }) {
  const [isOpen, open] = useState(false);
  useKeys([{ key: "w", does: "why it is what it is", run: () => open(!isOpen), isQuiet: true }]);
  return (
    <>
      <button type="button" class="plain link" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        why?
      </button>
      <kbd>w</kbd>
      {isOpen && <Causes job={job} status={status} />}
    </>
  );
}

export function Causes({ job, status }: { job: string; status: string | undefined }) {
  const { value, error } = useAsked((signal) => api.getWhy({ job }, undefined, { signal }), [job, status]);
  if (error) return <span class="soft"> {error}</span>;
  if (!value || value.id !== job) return <span class="soft"> …</span>;
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
