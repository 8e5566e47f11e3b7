import { useCallback, useMemo, useState } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { useEvents } from "../../data/events.ts";
import { filter, query } from "../../data/place.ts";
import { EventBody } from "../../parts/event-body.tsx";
import { LongList } from "../../parts/long-list.tsx";
import { bytes, moment } from "../../parts/words.ts";

/** The journal as it is: every event with its number, and the whole of it as JSON. */
export default function JournalEvents({ job }: { job: string }) {
  const { events, earlier, loadEarlier, error } = useEvents(job);
  const wanted = query.value.get("type") ?? "";
  const shown = useMemo(
    () =>
      wanted === ""
        ? events
        : events.filter(({ type, title = "", text = "" }) => has([type, title, text], wanted)),
    [events, wanted],
  );
  const keyOf = useCallback((index: number) => shown[index]?.seq ?? index, [shown]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (seq: number) => {
    const next = new Set(open);
    if (!next.delete(seq)) next.add(seq);
    setOpen(next);
  };
  if (error) return <p class="notice bad">{error}</p>;
  return (
    <section aria-label="Events">
      <div class="filters">
        <input
          type="search"
          aria-label="Only events with"
          placeholder="tool:end, handoff, a word …"
          value={wanted}
          onInput={(event) => filter({ type: event.currentTarget.value })}
        />
        <span class="soft">
          {shown.length} of {events.length} loaded{earlier && ", there are earlier ones"}
        </span>
        {earlier && (
          <button type="button" onClick={loadEarlier}>
            Load earlier ones
          </button>
        )}
      </div>
      <div class="rows">
        {shown.length === 0 && <p class="nothing">No event that is loaded is like that.</p>}
        <LongList
          label="Events"
          count={shown.length}
          height={26}
          tail
          keyOf={keyOf}
          {...(wanted === "" && { atStart: loadEarlier })}
          row={(index) => {
            const event = shown[index];
            if (!event) return null;
            const isOpen = open.has(event.seq);
            return (
              <div class="raw-event">
                <span class="faint num">{event.seq}</span>
                <span class="faint">{moment(event.at, now.value)}</span>
                <button type="button" class="plain" aria-expanded={isOpen} onClick={() => toggle(event.seq)}>
                  <code>{event.type}</code> <span class="soft">{event.text ?? event.title ?? ""}</span>
                </button>
                <span class="faint num">{bytes(event.bytes)}</span>
                {isOpen && <EventBody job={job} seq={event.seq} isRaw />}
              </div>
            );
          }}
        />
      </div>
    </section>
  );
}

function has(texts: readonly string[], wanted: string): boolean {
  const words = wanted.toLowerCase().split(/\s+/);
  const all = texts.join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
}
