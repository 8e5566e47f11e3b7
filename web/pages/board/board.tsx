import { useState } from "preact/hooks";
import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { now } from "../../data/clock.ts";
import { fleet, holdsAll, isRow, type JobRow, rows } from "../../data/fleet.ts";
import { useKeys } from "../../data/keys.ts";
import { filter, go, query } from "../../data/place.ts";
import { useSteady } from "../../data/steady.ts";
import { JobActions } from "../../parts/job-actions.tsx";
import { JobLine } from "../../parts/job-line.tsx";
import { over as overPage } from "../../parts/palette.tsx";
import { Peek } from "../../parts/peek.tsx";
import { counted } from "../../parts/words.ts";
import { fileIn, fits, isWay, longestWordIn, placed, WAYS } from "./groups.ts";
import { useStarts } from "./starts.ts";

/** Of a group, until the person wants to see the others. */
const MOST_IN_GROUP = 60;

/** The fleet at a glance: dense rows, grouped by what they need. */
export function Board() {
  const wanted = query.value.get("q") ?? "";
  const by = query.value.get("by");
  const way = isWay(by) ? by : "need";
  const isColumns = query.value.get("view") === "columns";
  const { all, isLooking } = useKnown(wanted);
  const matching = all.filter((row) => fits(row, wanted));
  const { shown, over } = useSteady(placed(matching, way, fleet.value, now.value));
  const matched = shown.map(({ row }) => row);
  const [whole, showWhole] = useState<ReadonlySet<string>>(new Set());
  const groups = [...Map.groupBy(shown, ({ group }) => group)].map(([name, its]) => ({
    name,
    count: its.length,
    its: whole.has(name) ? its : its.slice(0, MOST_IN_GROUP),
  }));
  const order = groups.flatMap(({ its }) => its.map(({ row }) => row));
  const starts = useStarts(order.some(({ status }) => status === "queued"));
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
  const areAllMarked = matched.length > 0 && matched.every(({ id }) => marked.has(id));
  const markAll = () => mark(new Set(areAllMarked ? [] : matched.map(({ id }) => id)));
  const look = (id: string | undefined) => peek(peeked === undefined || peeked !== id ? id : undefined);
  useKeys([
    { key: "j", does: "next job", run: () => move(1), isQuiet: true },
    { key: "k", does: "previous job", run: () => move(-1), isQuiet: true },
    { key: "Enter", does: "open the job", run: () => current && go(`/jobs/${current.id}`), isQuiet: true },
    { key: "Space", does: "look at it without leaving", run: () => look(current?.id), isQuiet: true },
    { key: "w", does: "why it is what it is", run: () => look(current?.id), isQuiet: true },
    { key: "x", does: "mark the job", run: () => current && toggle(current.id), isQuiet: true },
    { key: "X", does: "mark all that match", run: markAll },
    { key: "/", does: "filter the board", run: () => document.getElementById("filter")?.focus() },
    { key: "v", does: "rows or columns", run: () => filter({ view: isColumns ? "" : "columns" }) },
    {
      key: "Escape",
      does: "let go of what is marked",
      run: () => (peeked === undefined ? mark(new Set()) : peek(undefined)),
      isQuiet: true,
    },
  ]);
  const acted = marked.size > 0 ? matched.filter(({ id }) => marked.has(id)) : current ? [current] : [];
  return (
    <section>
      <h1>Board</h1>
      <p class="sub">
        {counted(matched.length, "job")}
        {way === "need" && " · grouped by what they need"}
      </p>
      <div class="filters">
        <input
          id="filter"
          type="search"
          aria-label="Filter by title, agent, status, branch or file"
          placeholder="Filter: words, agent:coder, status:failed, file:login.ts"
          value={wanted}
          onInput={(event) => filter({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "Escape" && event.key !== "Enter") return;
            event.currentTarget.blur();
            if (event.key === "Enter") choose(order[0]?.id);
          }}
        />
        <label>
          <span class="soft only-wide">by </span>
          <select
            aria-label="Group by"
            value={way}
            onChange={({ currentTarget: { value } }) => filter({ by: value === "need" ? "" : value })}
          >
            {Object.entries(WAYS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="only-wide" onClick={() => filter({ view: isColumns ? "" : "columns" })}>
          {isColumns ? "Rows" : "Columns"}
          <kbd>v</kbd>
        </button>
        {matched.length > 0 && (
          <button type="button" onClick={markAll}>
            {areAllMarked
              ? "Mark none"
              : wanted === ""
                ? "Mark all"
                : `Mark all ${matched.length} that match`}
            <kbd>X</kbd>
          </button>
        )}
        <button type="button" onClick={() => (overPage.value = "new job")}>
          New job<kbd>g n</kbd>
        </button>
      </div>
      {/* Its room is always there: what a row can do must not move that row under the pointer. */}
      <div class={`acting${marked.size > 0 ? " several" : ""}`}>
        {acted.length > 0 ? (
          <JobActions jobs={acted} marked={marked.size} done={() => mark(new Set())} />
        ) : (
          <span class="hint">
            <kbd>j</kbd>next <kbd>k</kbd>previous <kbd>Space</kbd>look at it <kbd>x</kbd>mark it <kbd>X</kbd>
            mark all that match
          </span>
        )}
      </div>
      {matched.length === 0 && <Empty filtered={wanted !== ""} isLooking={isLooking} />}
      <div class={[isColumns && "columns", marked.size > 0 && "marking"].filter(Boolean).join(" ")} {...over}>
        {groups.map(({ name, count, its }) => (
          <div class="rows" key={name}>
            <div class="group">
              <h2>{name}</h2>
              <span>{noteOf(name, count)}</span>
            </div>
            {its.map(({ row }) => (
              <JobLine
                key={row.id}
                row={row}
                isChosen={row.id === chosen}
                isMarked={marked.has(row.id)}
                starts={starts.get(row.id)}
                now={now.value}
                choose={() => choose(row.id)}
                mark={() => toggle(row.id)}
                ask={() => look(row.id)}
              />
            ))}
            {its.length < count && (
              <p class="entry inset">
                <button type="button" class="plain link" onClick={() => showWhole(new Set([...whole, name]))}>
                  Show the other {count - its.length}
                </button>
              </p>
            )}
          </div>
        ))}
      </div>
      {peeked !== undefined && <Peek job={peeked} close={() => peek(undefined)} />}
    </section>
  );
}

/** The jobs of the board. Where the page does not hold them all, the server is asked for older ones; it alone knows which wrote a file. */
function useKnown(wanted: string): { all: readonly JobRow[]; isLooking: boolean } {
  const file = fileIn(wanted);
  const text = holdsAll.value || file !== undefined ? undefined : longestWordIn(wanted);
  const isAsked = file !== undefined || text !== undefined;
  const { value } = useAsked(
    async (signal) => {
      if (!isAsked) return undefined;
      const asked = file === undefined ? { text } : { file };
      const { jobs } = await api.listJobs({ ...asked, limit: 200 }, undefined, { signal });
      return { file, text, jobs };
    },
    [file, text],
  );
  const isKnown = value !== undefined && value.file === file && value.text === text;
  if (!isAsked) return { all: rows.value, isLooking: false };
  const known = new Map(rows.value.map((row) => [row.id, row]));
  const found = isKnown ? value.jobs.filter(isRow).map((row) => known.get(row.id) ?? row) : [];
  const others = file === undefined ? rows.value.filter((row) => !found.includes(row)) : [];
  return { all: [...others, ...found], isLooking: !isKnown };
}

function noteOf(name: string, count: number): string {
  const slots = fleet.value?.projects.find((project) => project.slots)?.slots;
  return name === "Running" && slots ? `${slots.taken} of ${slots.total} slots` : String(count);
}

function Empty({ filtered, isLooking }: { filtered: boolean; isLooking: boolean }) {
  if (isLooking) return <p class="nothing">Looking through what jobs wrote …</p>;
  if (filtered) return <p class="nothing">No job matches. Press Escape and change the filter.</p>;
  return (
    <div class="nothing">
      <p>No jobs yet. Start one with New job, or from a terminal:</p>
      <pre>baton run --queue "Make the tests pass"</pre>
    </div>
  );
}
