import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { AnswerOf } from "../../src/http/contract.ts";
import type { JournalEvent } from "../../src/job/events.ts";
import { messageOf } from "../../src/util/errors.ts";
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
  error?: string;
}

const PAGE = 500;
const TOGETHER_MS = 50;
/** A page that is left open does not grow for ever: the oldest are let go, and loaded again when they are wanted. */
const MOST_KEPT = 50_000;

interface Held {
  job: string;
  events: readonly EventHead[];
  earlier: number | undefined;
  error?: string;
}

/** The events of a job: its newest first, those before on demand, new ones as they come. */
export function useEvents(job: string): Events {
  const [held, hold] = useState<Held>({ job, events: [], earlier: undefined });
  const isLoading = useRef(false);
  useEffect(() => {
    let isOver = false;
    const fill = async () => {
      try {
        const page = await api.listEvents({ job, limit: PAGE });
        // The stream may have told of newer ones already.
        if (!isOver)
          hold((now) => withNext({ job, events: heads(page.events), earlier: page.earlier }, now.events));
      } catch (error) {
        if (!isOver)
          hold({
            job,
            events: [],
            earlier: undefined,
            error: messageOf(error),
          });
      }
    };
    void fill();
    // A page that catches up hears thousands at once: it is drawn for all of them together.
    let fresh: EventHead[] = [];
    const show = () => {
      const these = fresh;
      fresh = [];
      if (!isOver) hold((now) => withNext(now, these));
    };
    const unhear = [
      hear("event", (told) => {
        if (told.job !== job) return;
        if (fresh.push(told as EventHead) === 1) setTimeout(show, TOGETHER_MS);
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
    } catch {
      // Asked again when the person scrolls on.
    } finally {
      isLoading.current = false;
    }
  }, [job, earlier]);
  const events = held.job === job ? held.events : [];
  return {
    events,
    earlier: earlier !== undefined,
    loadEarlier: () => void loadEarlier(),
    ...(held.error !== undefined && { error: held.error }),
  };
}

function withNext(held: Held, told: readonly EventHead[]): Held {
  const last = held.events.at(-1)?.seq ?? 0;
  const fresh = told.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return held;
  const events = [...held.events, ...fresh];
  if (events.length <= MOST_KEPT) return { ...held, events };
  const kept = events.slice(-MOST_KEPT / 2);
  return { ...held, events: kept, earlier: kept[0]?.seq };
}

function withEarlier(held: Held, page: AnswerOf<"listEvents">): Held {
  const first = held.events[0]?.seq ?? Number.POSITIVE_INFINITY;
  const older = heads(page.events).filter(({ seq }) => seq < first);
  return {
    ...held,
    events: [...older, ...held.events],
    earlier: page.earlier,
  };
}
