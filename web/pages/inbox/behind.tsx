import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import type { InboxRow } from "../../data/inbox.ts";
import { counted, firstLine, moment } from "../../parts/words.ts";
import { Counts } from "../job/changes/counts.tsx";

/** What led to it, for whoever is about to decide. */
export function Behind({ row, now }: { row: InboxRow; now: Date }) {
  // What its head says already is no news.
  const causes = row.ask ? [] : row.why;
  const [job] = row.jobs;
  return (
    <>
      {causes.length > 0 && (
        <ul class="causes">
          {causes.map(({ at, text }) => (
            <li key={`${at} ${text}`}>
              {moment(at, now)} <span class="soft">{text}</span>
            </li>
          ))}
        </ul>
      )}
      {job !== undefined && row.kind !== "review" && <LastWords job={job} now={now} />}
      {job !== undefined && row.kind === "review" && <Extent job={job} />}
    </>
  );
}

const MOST_WORDS = 400;

/** What its agent had said last when the row was chosen: words that come meanwhile would move what is below. */
function LastWords({ job, now }: { job: string; now: Date }) {
  const { value } = useAsked(
    (signal) => api.listEvents({ job, kinds: "text", limit: 1 }, undefined, { signal }),
    [job],
  );
  const last = value?.job === job ? value.events.at(-1) : undefined;
  if (last?.text === undefined) return null;
  return (
    <p class="why always">
      It said last, at {moment(last.at, now)}:{" "}
      <a class="soft" href={`/jobs/${job}?event=${last.seq}`}>
        {firstLine(last.text, MOST_WORDS)}
      </a>
    </p>
  );
}

/** How much there is to review. */
function Extent({ job }: { job: string }) {
  const { value } = useAsked((signal) => api.getDiff({ job }, undefined, { signal }), [job]);
  if (!value || value.job !== job) return null;
  const sum = (of: "added" | "removed") => value.files.reduce((all, file) => all + (file[of] ?? 0), 0);
  return (
    <p class="why always">
      {value.note ?? counted(value.files.length, "file")}{" "}
      {value.note === undefined && <Counts added={sum("added")} removed={sum("removed")} />}
    </p>
  );
}
