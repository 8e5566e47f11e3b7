import { useEffect, useMemo, useState } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { useEvents } from "../../data/events.ts";
import { useKeys } from "../../data/keys.ts";
import { filter, query } from "../../data/place.ts";
import { LongList } from "../../parts/long-list.tsx";
import { Composer } from "./composer.tsx";
import { EventLine } from "./event-line.tsx";
import { JobFacts } from "./facts.tsx";
import { type Line, Lines, SHOWN, type Shown, shownOf } from "./lines.ts";

/** Tail first, one line per call, bodies when they are opened. */
export function Transcript({ job }: { job: string }) {
  const { events, earlier, loadEarlier, before, error } = useEvents(job);
  const shown = (query.value.get("show") ?? "all") as Shown;
  const [reader] = useState(() => new Lines());
  // Not again with every second and every turn of the wheel.
  const all = useMemo(() => [...reader.of(events)], [reader, events]);
  const [subagents, setSubagents] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => shownOf(all, shown, subagents), [all, shown, subagents]);
  const found = seqIn(query.value.get("event"));
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const at = found === undefined ? -1 : lines.findIndex(({ seq }) => seq === found);
  const find = ({ seq, sub }: Line) => {
    if (sub !== undefined) setSubagents(new Set([...subagents, sub]));
    filter({ event: String(seq) });
  };
  const nextFailure = (by: 1 | -1) => {
    const order = by === 1 ? all : all.toReversed();
    const isPast = ({ seq }: Line) => found === undefined || (seq - found) * by > 0;
    const failed = order.find((line) => isFailure(line) && isPast(line));
    if (failed) find(failed);
  };
  useKeys([
    { key: "n", does: "next failure", run: () => nextFailure(1) },
    { key: "N", does: "previous failure", run: () => nextFailure(-1) },
    {
      key: "o",
      does: "open or close the line that was found",
      run: () => found !== undefined && toggle(found),
      isQuiet: true,
    },
  ]);
  const toggle = (seq: number) => setOpen(toggled(open, seq));
  useEffect(() => {
    // A link to an event that is further back than what is loaded.
    if (found !== undefined && earlier && found < (events[0]?.seq ?? 0)) loadEarlier();
  }, [found, events, earlier, loadEarlier]);
  if (error) return <p class="notice bad">{error}</p>;
  return (
    <div class="cols">
      <div>
        <div class="filters">
          <label>
            <span class="hidden-from-eyes">Show </span>
            <select
              value={shown}
              onChange={(event) =>
                filter({ show: event.currentTarget.value === "all" ? "" : event.currentTarget.value })
              }
            >
              {Object.entries(SHOWN).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => nextFailure(1)}>
            Next failure<kbd>n</kbd>
          </button>
        </div>
        <div class="rows">
          {lines.length === 0 && <p class="nothing">Nothing has happened yet.</p>}
          <LongList
            label="Transcript"
            count={lines.length}
            height={28}
            tail
            before={before}
            shown={at === -1 ? undefined : at}
            keyOf={(index) => lines[index]?.seq ?? index}
            atStart={loadEarlier}
            row={(index) => {
              const line = lines[index];
              return (
                line && (
                  <EventLine
                    job={job}
                    line={line}
                    now={now.value}
                    isFound={line.seq === found}
                    isOpen={line.folds?.isOpen ?? open.has(line.seq)}
                    toggle={() =>
                      line.folds && line.sub !== undefined
                        ? setSubagents(toggled(subagents, line.sub))
                        : toggle(line.seq)
                    }
                  />
                )
              );
            }}
          />
          <Composer job={job} />
        </div>
      </div>
      <JobFacts job={job} />
    </div>
  );
}

function toggled<T>(all: ReadonlySet<T>, one: T): ReadonlySet<T> {
  const next = new Set(all);
  if (!next.delete(one)) next.add(one);
  return next;
}

const isFailure = ({ tone }: Line) => tone === "bad";

function seqIn(text: string | null): number | undefined {
  const seq = Number(text);
  return text !== null && Number.isInteger(seq) ? seq : undefined;
}
