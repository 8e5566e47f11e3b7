import { lazy, Suspense } from "preact/compat";
import { useEffect } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { rowOf } from "../../data/fleet.ts";
import { useJob } from "../../data/job.ts";
import { useKeys } from "../../data/keys.ts";
import { go, path } from "../../data/place.ts";
import { JobActions } from "../../parts/job-actions.tsx";
import { costOf } from "../../parts/job-line.tsx";
import { Relay } from "../../parts/relay.tsx";
import { Status } from "../../parts/status.tsx";
import { Why } from "../../parts/why.tsx";
import { firstLine, moment } from "../../parts/words.ts";
import { Transcript } from "./transcript.tsx";

/** In the order of their keys. The first one is what the page opens with. */
const TABS = [
  { at: "", name: "Transcript", Page: Transcript },
  { at: "changes", name: "Changes", Page: lazy(() => import("./changes.tsx")) },
  { at: "handoffs", name: "Handoffs", Page: lazy(() => import("./handoffs.tsx")) },
  { at: "cost", name: "Cost", Page: lazy(() => import("./cost.tsx")) },
  { at: "events", name: "Events", Page: lazy(() => import("./events.tsx")) },
  { at: "workspace", name: "Workspace", Page: lazy(() => import("./workspace.tsx")) },
];

/** `/jobs/<id>/<tab>`: the relay on top, one of its tabs below. */
export default function JobPage() {
  const [, , id = "", tab = ""] = path.value.split("/");
  const hrefOf = (at: string) => (at === "" ? `/jobs/${id}` : `/jobs/${id}/${at}`);
  useKeys(
    TABS.map(({ at, name }, index) => ({
      key: String(index + 1),
      does: `show the ${name.toLowerCase()}`,
      run: () => go(hrefOf(at)),
    })),
  );
  const { job, lanes, error } = useJob(id);
  const row = rowOf(id);
  useEffect(() => {
    if (job) document.title = `${firstLine(job.prompt, 60)} · Baton`;
  }, [job]);
  const Shown = TABS.find(({ at }) => at === tab)?.Page;
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
          hrefOf={({ kind, number }) =>
            kind === "handoff"
              ? `/jobs/${id}/handoffs?n=${number}`
              : `/jobs/${id}/workspace?checkpoint=${number}`
          }
          turnsLeft={row?.context?.turnsLeft}
        />
      </section>
      <nav class="tabs" aria-label="Of this job">
        {TABS.map(({ at, name }, index) => (
          <a key={name} href={hrefOf(at)} aria-current={at === tab ? "page" : undefined}>
            {name}
            <kbd>{index + 1}</kbd>
          </a>
        ))}
      </nav>
      <Suspense fallback={<p class="soft">Loading …</p>}>
        {Shown ? <Shown key={id} job={id} /> : <p>A job has no page of this name.</p>}
      </Suspense>
    </>
  );
}
