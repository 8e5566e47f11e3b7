import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { useEvents } from "../../data/events.ts";
import { useKeys } from "../../data/keys.ts";
import { filter, query } from "../../data/place.ts";
import { LongList } from "../../parts/long-list.tsx";
import { say } from "../../parts/said.tsx";
import { Composer } from "./composer.tsx";
import { EventLine } from "./event-line.tsx";
import { JobFacts } from "./facts.tsx";
import { type Line, Lines, SHOWN, type Shown, shownOf } from "./lines.ts";

/** Tail first, one line per call, bodies when they are opened. */
export function Transcript({ job }: { job: string }) {
  const { events, earlier, loadEarlier, error } = useEvents(job);
  const words = query.value.get("words") ?? "";
  const shown = (query.value.get("show") ?? "all") as Shown;
  const [reader] = useState(() => new Lines());
  // Not again with every second and every turn of the wheel.
  const all = useMemo(() => [...reader.of(events)], [reader, events]);
  const [subagents, setSubagents] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(
    () => withWords(shownOf(all, shown, subagents), words),
    [all, shown, subagents, words],
  );
  const keyOf = useCallback((index: number) => lines[index]?.seq ?? index, [lines]);
  const found = seqIn(query.value.get("event"));
  const [isSeeking, seek] = useState(false);
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
    else if (earlier && (by === -1 || found === undefined)) seek(true);
    else say(by === 1 ? "No failure comes after this." : "No failure comes before this.");
  };
  // The last failure before all that is loaded: page by page, until there is one.
  useEffect(() => {
    if (!isSeeking) return;
    const failed = all.findLast((line) => isFailure(line) && (found === undefined || line.seq < found));
    if (!failed && earlier) return loadEarlier();
    seek(false);
    if (failed) find(failed);
    else say("Nothing has failed.");
  });
  useKeys([
    { key: "n", does: "next failure", run: () => nextFailure(1) },
    { key: "N", does: "previous failure", run: () => nextFailure(-1) },
    { key: "/", does: "find words", run: () => document.getElementById("words")?.focus(), isQuiet: true },
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
          <input
            id="words"
            type="search"
            aria-label="Only lines with"
            placeholder="Only lines with …"
            value={words}
            onInput={(event) => filter({ words: event.currentTarget.value })}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
          <button type="button" onClick={() => nextFailure(1)}>
            Next failure<kbd>n</kbd>
          </button>
        </div>
        <div class="rows">
          {lines.length === 0 && (
            <p class="nothing">
              {all.length === 0 ? "Nothing has happened yet." : "Nothing that is loaded is like that."}
            </p>
          )}
          <LongList
            label="Transcript"
            count={lines.length}
            height={28}
            tail
            shown={at === -1 ? undefined : at}
            keyOf={keyOf}
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

/** Each of the words anywhere in the line. */
function withWords(lines: readonly Line[], wanted: string): readonly Line[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ title, text }) => {
    const line = `${title} ${text}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}

const isFailure = ({ tone }: Line) => tone === "bad";

function seqIn(text: string | null): number | undefined {
  const seq = Number(text);
  return text !== null && Number.isInteger(seq) ? seq : undefined;
}
