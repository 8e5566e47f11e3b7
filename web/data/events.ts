import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { AnswerOf } from "../../src/http/contract.ts";
import type { JournalEvent } from "../../src/job/events.ts";
import { api } from "./api.ts";
import { hear } from "./live.ts";

/** The event itself is there where it is small. */
export type EventHead = Omit<AnswerOf<"listEvents">["events"][number], "event"> & { event?: JournalEvent };

/** The API promises the keys that every event has; those of each type are the journal's. */
const heads = (told: AnswerOf<"listEvents">["events"]) => told as EventHead[];

export interface Events {
  /** Oldest first, without a hole. */
  events: readonly EventHead[];
  /** There are older ones. */
  earlier: boolean;
  loadEarlier: () => void;
  /** How many were put before those that were there first. */
  before: number;
  error?: string;
}

const PAGE = 500;
/** A page that is left open does not grow for ever: the oldest are let go, and loaded again when they are wanted. */
const MOST_KEPT = 50_000;

interface Held {
  job: string;
  events: readonly EventHead[];
  earlier: number | undefined;
  before: number;
  error?: string;
}

/** The events of a job: its newest first, those before on demand, new ones as they come. */
export function useEvents(job: string): Events {
  const [held, hold] = useState<Held>({ job, events: [], earlier: undefined, before: 0 });
  const isLoading = useRef(false);
  useEffect(() => {
    let isOver = false;
    const fill = async () => {
      try {
        const page = await api.listEvents({ job, limit: PAGE });
        if (!isOver) hold({ job, events: heads(page.events), earlier: page.earlier, before: 0 });
      } catch (error) {
        if (!isOver)
          hold({
            job,
            events: [],
            earlier: undefined,
            before: 0,
            error: String(error instanceof Error ? error.message : error),
          });
      }
    };
    void fill();
    const unhear = [
      hear("event", (told) => {
        if (told.job === job) hold((now) => withNext(now, told as EventHead));
      }),
      hear("begin", () => void fill()),
    ];
    return () => {
      isOver = true;
      for (const end of unhear) end();
    };
  }, [job]);
  const { earlier } = held;
  const loadEarlier = useCallback(async () => {
    if (earlier === undefined || isLoading.current) return;
    isLoading.current = true;
    try {
      const page = await api.listEvents({ job, limit: PAGE, before: earlier });
      hold((now) => (now.job === job ? withEarlier(now, page) : now));
    } finally {
      isLoading.current = false;
    }
  }, [job, earlier]);
  const events = held.job === job ? held.events : [];
  return {
    events,
    earlier: earlier !== undefined,
    loadEarlier: () => void loadEarlier(),
    before: held.before,
    ...(held.error !== undefined && { error: held.error }),
  };
}

function withNext(held: Held, event: EventHead): Held {
  const last = held.events.at(-1)?.seq ?? 0;
  if (event.seq <= last) return held;
  const events = [...held.events, event];
  if (events.length <= MOST_KEPT) return { ...held, events };
  const kept = events.slice(-MOST_KEPT / 2);
  return { ...held, events: kept, earlier: kept[0]?.seq, before: 0 };
}

function withEarlier(held: Held, page: AnswerOf<"listEvents">): Held {
  const first = held.events[0]?.seq ?? Number.POSITIVE_INFINITY;
  const older = heads(page.events).filter(({ seq }) => seq < first);
  return {
    ...held,
    events: [...older, ...held.events],
    earlier: page.earlier,
    before: held.before + older.length,
  };
}
