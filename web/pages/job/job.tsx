import { lazy, Suspense } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import { writtenOutcome } from "../../../src/handoff/outcome.ts";
import { headline } from "../../../src/job/status-words.ts";
import { api } from "../../data/api.ts";
import { now } from "../../data/clock.ts";
import { rowOf } from "../../data/fleet.ts";
import { isOver, type Job, useJob } from "../../data/job.ts";
import { useKeys } from "../../data/keys.ts";
import { go, path, query } from "../../data/place.ts";
import { title } from "../../data/title.ts";
import { attempt } from "../../parts/attempt.ts";
import { copy } from "../../parts/copy.ts";
import { download } from "../../parts/download.ts";
import { JobActions } from "../../parts/job-actions.tsx";
import { costOf } from "../../parts/job-line.tsx";
import { Lines } from "../../parts/lines-of.tsx";
import { Relay } from "../../parts/relay.tsx";
import { Status } from "../../parts/status.tsx";
import { Unbroken } from "../../parts/unbroken.tsx";
import { Why } from "../../parts/why.tsx";
import { firstLine, moment, money } from "../../parts/words.ts";
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
  const tabs = useTabsOnTop(`${id}/${tab}${query.value.get("n") ?? ""}`, job !== undefined);
  const row = rowOf(id);
  useEffect(() => {
    title.value = job && firstLine(headline(job), 60);
    return () => {
      title.value = undefined;
    };
  }, [job]);
  const Shown = TABS.find(({ at }) => at === tab)?.Page;
  if (!job) return error ? <p class="notice bad">{error}</p> : <p class="soft">Loading the job …</p>;
  const handoffs = job.handoffs.map(({ number, fromSession, percent, outcome, checks, rampUp }) => ({
    number,
    fromSession,
    percent,
    outcome: writtenOutcome(outcome),
    ...(rampUp && { rampUp: { turns: rampUp.turns, costUsd: rampUp.costEstimateUsd } }),
    isChecked: checks.length > 0 && checks.every(({ ok }) => ok),
  }));
  return (
    <>
      <section>
        <h1>{firstLine(headline(job))}</h1>
        <div class="sub">
          <Status status={job.status} /> ·{" "}
          {job.runsOn === job.agent ? job.agent : `${job.agent} → ${job.runsOn}`}
          {row?.model && ` · ${row.model}`}
          {row?.branch && (
            <>
              {" · "}
              <code>{row.branch}</code>
            </>
          )}
          {job.conversation && row && (
            <>
              {" · "}
              {job.conversation.url?.startsWith("https:") ? (
                <a href={job.conversation.url} rel="noreferrer">
                  {row.source.name}
                </a>
              ) : (
                row.source.name
              )}
            </>
          )}
          {row?.pullRequest && (
            <>
              {" · "}
              <PullRequest at={row.pullRequest} />
            </>
          )}
          {[row?.source.name, row?.epic].filter(Boolean).map((name) => ` · ${name}`)}
          {job.sessions.length > 0 && ` · session ${job.sessions.length}`}
          {job.attempt > 1 && ` · attempt ${job.attempt}`}
          {` · ${costOf(job)}${row?.costLimitUsd === undefined ? "" : ` of ${money(row.costLimitUsd)}`} · since ${moment(job.createdAt, now.value)} · `}
          <Why job={id} status={job.status} />
        </div>
        {job.queued && <p class="notice">{job.queued.reason.text}</p>}
        {job.error && <p class={`notice${job.status === "failed" ? " bad" : ""}`}>{job.error}</p>}
        {row && (
          <div class="filters">
            <JobActions jobs={[row]} marked={0} done={() => {}} />
            <Terminal job={job} />
            <Export job={job} />
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
      <nav class="tabs" aria-label="Of this job" ref={tabs}>
        {TABS.map(({ at, name }, index) => (
          <a key={name} href={hrefOf(at)} aria-current={at === tab ? "page" : undefined}>
            {name}
            {at === "changes" && row && (
              <>
                {" "}
                <Lines of={row} />
              </>
            )}
            {at === "handoffs" && handoffs.length > 0 && <span class="faint"> {handoffs.length}</span>}
            <kbd>{index + 1}</kbd>
          </a>
        ))}
      </nav>
      <div class="part">
        <Unbroken key={tab}>
          <Suspense fallback={<p class="soft">Loading …</p>}>
            {Shown ? <Shown key={id} job={id} /> : <p>A job has no page of this name.</p>}
          </Suspense>
        </Unbroken>
      </div>
    </>
  );
}

/** Whoever goes to another part of the same job wants to see that, not what is above it again. */
function useTabsOnTop(at: string, areThere: boolean) {
  const tabs = useRef<HTMLElement>(null);
  const was = useRef(at);
  useEffect(() => {
    if (!areThere) return;
    // A narrow screen has no room for all of them.
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const isSameJob = was.current.split("/")[0] === at.split("/")[0];
    if (isSameJob && was.current !== at) tabs.current?.scrollIntoView({ block: "start" });
    was.current = at;
  }, [at, areThere]);
  return tabs;
}

function PullRequest({ at }: { at: string }) {
  const name = /\/(\d+)\/?$/.exec(at)?.[1];
  if (!/^https?:\/\//i.test(at)) return <span>{at}</span>;
  return (
    <a class="link" href={at} target="_blank" rel="noreferrer noopener">
      pull request {name}
    </a>
  );
}

/** One page for somebody who has no dashboard. */
function Export({ job: { id: job } }: { job: Job }) {
  const save = () =>
    attempt(async () => {
      const { html } = await api.exportJob({ job });
      download(`${job}.html`, "text/html", html);
    }, "One page with all of it, without secrets, is with your downloads.");
  useKeys([{ key: "D", does: "export it as one page", run: () => void save() }]);
  return (
    <button type="button" class="plain link soft" onClick={() => void save()}>
      Export as one page
    </button>
  );
}

/** The same job, on the person's own terminal. */
function Terminal({ job }: { job: Job }) {
  if (job.status === "completed" || job.status === "queued") return null;
  const rests = isOver(job) || job.status === "paused" || job.status === "interrupted";
  const command = `baton ${rests ? "resume" : "attach"} ${job.id}`;
  return (
    <button
      type="button"
      class="plain link soft"
      title={command}
      onClick={() => void copy(command, `Copied: ${command}`)}
    >
      {rests ? "Resume" : "Attach"} in a terminal
    </button>
  );
}
