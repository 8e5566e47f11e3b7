import { useEffect } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { rowOf } from "../../data/fleet.ts";
import { useJob } from "../../data/job.ts";
import { path } from "../../data/place.ts";
import { JobActions } from "../../parts/job-actions.tsx";
import { costOf } from "../../parts/job-line.tsx";
import { Relay } from "../../parts/relay.tsx";
import { Status } from "../../parts/status.tsx";
import { Why } from "../../parts/why.tsx";
import { firstLine, moment } from "../../parts/words.ts";
import { Transcript } from "./transcript.tsx";

/** `/jobs/<id>`: the relay on top, the transcript below. */
export default function JobPage() {
  const [, , id = ""] = path.value.split("/");
  const { job, lanes, error } = useJob(id);
  const row = rowOf(id);
  useEffect(() => {
    if (job) document.title = `${firstLine(job.prompt, 60)} · Baton`;
  }, [job]);
  if (error) return <p class="notice bad">{error}</p>;
  if (!job) return <p class="soft">Loading the job …</p>;
  const handoffs = job.handoffs.map(({ number, fromSession, percent, outcome, checks }) => ({
    number,
    fromSession,
    percent,
    outcome,
    isChecked: checks.length > 0 && checks.every(({ ok }) => ok),
  }));
  return (
    <>
      <section>
        <h1>{firstLine(job.prompt)}</h1>
        <p class="sub">
          <Status status={job.status} /> ·{" "}
          {job.runsOn === job.agent ? job.agent : `${job.agent} → ${job.runsOn}`}
          {row?.branch && (
            <>
              {" · "}
              <code>{row.branch}</code>
            </>
          )}
          {` · session ${job.sessions.length} · ${costOf(job)} · since ${moment(job.createdAt, now.value)} · `}
          <Why job={id} />
        </p>
        {job.error && <p class="notice bad">{job.error}</p>}
        {row && (
          <div class="filters">
            <JobActions jobs={[row]} marked={0} done={() => {}} />
          </div>
        )}
        <Relay
          lanes={lanes}
          handoffs={handoffs}
          hrefOf={(number) => `/jobs/${id}/handoffs?n=${number}`}
          turnsLeft={row?.context?.turnsLeft}
        />
      </section>
      <Transcript job={id} />
    </>
  );
}
