import { useState } from "preact/hooks";
import { now } from "../data/clock.ts";
import { fleet, type JobRow, rows } from "../data/fleet.ts";
import { useKeys } from "../data/keys.ts";
import { filter, go, query } from "../data/place.ts";
import { JobActions } from "../parts/job-actions.tsx";
import { JobLine } from "../parts/job-line.tsx";
import { Peek } from "../parts/peek.tsx";
import { counted } from "../parts/words.ts";

interface Group {
  name: string;
  note?: string;
  jobs: JobRow[];
}

const STOPPED = new Set(["paused", "failed", "interrupted"]);
const DAY_MS = 24 * 60 * 60_000;

/** The fleet at a glance: dense rows, grouped by what they need. */
export function Board() {
  const wanted = query.value.get("q") ?? "";
  const shown = rows.value.filter((row) => fits(row, wanted));
  const groups = grouped(shown);
  const order = groups.flatMap(({ jobs }) => jobs);
  const [chosen, choose] = useState<string | undefined>(undefined);
  const [peeked, peek] = useState<string | undefined>(undefined);
  const [marked, mark] = useState<ReadonlySet<string>>(new Set());
  const at = order.findIndex(({ id }) => id === chosen);
  const current = order[at];
  const move = (by: number) => {
    const next = order[Math.max(0, Math.min(order.length - 1, at === -1 ? 0 : at + by))];
    choose(next?.id);
    if (peeked !== undefined) peek(next?.id);
    if (next) document.getElementById(`job-${next.id}`)?.scrollIntoView({ block: "nearest" });
  };
  const toggle = (id: string) => {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    mark(next);
  };
  useKeys([
    { key: "j", does: "next job", run: () => move(1), isQuiet: true },
    { key: "k", does: "previous job", run: () => move(-1), isQuiet: true },
    { key: "Enter", does: "open the job", run: () => current && go(`/jobs/${current.id}`), isQuiet: true },
    {
      key: "Space",
      does: "peek without leaving",
      run: () => peek(peeked === undefined ? current?.id : undefined),
      isQuiet: true,
    },
    { key: "x", does: "mark the job", run: () => current && toggle(current.id), isQuiet: true },
    { key: "X", does: "mark all that match", run: () => mark(new Set(order.map(({ id }) => id))) },
    { key: "/", does: "filter the board", run: () => document.getElementById("filter")?.focus() },
    {
      key: "Escape",
      does: "let go of what is marked",
      run: () => (peeked === undefined ? mark(new Set()) : peek(undefined)),
      isQuiet: true,
    },
  ]);
  const acted = marked.size > 0 ? order.filter(({ id }) => marked.has(id)) : current ? [current] : [];
  return (
    <section>
      <h1>Board</h1>
      <p class="sub">
        {counted(shown.length, "job")} · grouped by what they need · <kbd>/</kbd> to filter
      </p>
      <div class="filters">
        <input
          id="filter"
          type="search"
          aria-label="Filter by title, agent, status or branch"
          placeholder="Filter: words, agent:coder, status:failed"
          value={wanted}
          onInput={(event) => filter({ q: event.currentTarget.value })}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <JobActions jobs={acted} marked={marked.size} done={() => mark(new Set())} />
      </div>
      {order.length === 0 && <Empty filtered={wanted !== ""} />}
      {groups.map(({ name, note, jobs }) => (
        <div class="rows" key={name}>
          <div class="group">
            <h2>{name}</h2>
            <span>{note ?? jobs.length}</span>
          </div>
          {jobs.map((row) => (
            <JobLine
              key={row.id}
              row={row}
              isChosen={row.id === chosen}
              isMarked={marked.has(row.id)}
              now={now.value}
              choose={() => choose(row.id)}
            />
          ))}
        </div>
      ))}
      {peeked !== undefined && <Peek job={peeked} close={() => peek(undefined)} />}
    </section>
  );
}

function Empty({ filtered }: { filtered: boolean }) {
  if (filtered) return <p class="nothing">No job matches. Press Escape and change the filter.</p>;
  return (
    <div class="nothing">
      <p>No jobs yet. Start one from a terminal:</p>
      <pre>baton run --queue "Make the tests pass"</pre>
    </div>
  );
}

function grouped(all: readonly JobRow[]): Group[] {
  const dayAgo = new Date(now.value.getTime() - DAY_MS).toISOString();
  const slots = fleet.value?.projects.find(({ slots }) => slots)?.slots;
  const running = all.filter(({ status }) => status === "running" || status === "created");
  const groups: Group[] = [
    {
      name: "Needs you",
      jobs: all.filter(({ status, updatedAt }) => STOPPED.has(status) && updatedAt >= dayAgo),
    },
    { name: "Running", jobs: running, ...(slots && { note: `${slots.taken} of ${slots.total} slots` }) },
    { name: "Waiting", jobs: all.filter(({ status }) => status === "waiting") },
    { name: "Queued", jobs: inOrder(all.filter(({ status }) => status === "queued")) },
    { name: "Done in the last day", jobs: all.filter((row) => isDone(row) && row.updatedAt >= dayAgo) },
    {
      name: "Earlier",
      jobs: all
        .filter((row) => (isDone(row) || STOPPED.has(row.status)) && row.updatedAt < dayAgo)
        .slice(0, 100),
    },
  ];
  return groups.filter(({ jobs }) => jobs.length > 0);
}

const isDone = ({ status }: JobRow) => status === "completed" || status === "cancelled";

/** As the fleet will start them. */
function inOrder(queued: JobRow[]): JobRow[] {
  const places = new Map(
    fleet.value?.projects.flatMap(({ queue }) => queue).map(({ job, position }) => [job, position]),
  );
  return queued.toSorted((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity));
}

/** Words anywhere in what is shown; `agent:` and `status:` for one field. */
function fits(row: JobRow, wanted: string): boolean {
  const text = [row.title, row.agent, row.status, row.branch, row.epic, row.source.name, row.id, row.error]
    .join(" ")
    .toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => {
      const [, field, value] = /^(agent|status):(.*)$/.exec(word) ?? [];
      if (field === "agent") return row.agent.toLowerCase().startsWith(value ?? "");
      if (field === "status") return row.status.startsWith(value ?? "");
      return text.includes(word);
    });
}
