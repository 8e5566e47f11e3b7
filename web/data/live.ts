import { effect, signal } from "@preact/signals";
import type { StreamMessage } from "../../src/client.ts";
import { messageOf } from "../../src/util/errors.ts";
import { api, awaySince } from "./api.ts";
import { path } from "./place.ts";

/** How current the page is. */
export type Connection =
  | { state: "connecting" | "live" | "hidden" }
  | { state: "offline"; since: Date }
  | { state: "refused"; problem: string };

export const connection = signal<Connection>({ state: "connecting" });

/** When something last came, if only a sign of life. */
export const heardAt = signal(new Date());

type News = { [M in StreamMessage as M["type"]]: M["data"] };
type Listener<K extends keyof News> = (data: News[K]) => void;

const listeners: { [K in keyof News]?: Set<Listener<K>> } = {};

/** Until what it returns is called. */
export function hear<K extends keyof News>(name: K, listener: Listener<K>): () => void {
  const all: Set<Listener<K>> = listeners[name] ?? new Set();
  Object.assign(listeners, { [name]: all });
  all.add(listener);
  return () => all.delete(listener);
}

function tell<K extends keyof News>(name: K, data: News[K]): void {
  const all: Set<Listener<K>> | undefined = listeners[name];
  for (const listener of all ?? []) listener(data);
}

/** The place in the journals up to which this page has heard everything. */
let position: string | undefined;

/** Where the answer to a question stood: the stream continues from there. */
export function heardUpTo(told: string): void {
  position ??= told;
}

/** The server ends a stream every few minutes, and the client resumes it: only a longer silence is one. */
const SILENT_MS = 15_000;

/** One stream for the tab, closed while nobody looks. */
export function listenLive(): void {
  const isVisible = signal(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", () => {
    isVisible.value = document.visibilityState === "visible";
  });
  effect(() => {
    const topics = ["fleet", "jobs", ...watched()];
    if (!isVisible.value) {
      connection.value = { state: "hidden" };
      return undefined;
    }
    if (connection.peek().state === "hidden") {
      connection.value = { state: "connecting" };
      heardAt.value = new Date();
    }
    const leaving = new AbortController();
    void follow(topics, leaving.signal);
    return () => leaving.abort();
  });
  effect(() => {
    const since = awaySince.value;
    if (since && isListening()) connection.value = { state: "offline", since };
  });
  setInterval(() => {
    const silent = Date.now() - heardAt.value.getTime();
    if (isListening() && silent > HEARTBEAT_MS + SILENT_MS) {
      connection.value = { state: "offline", since: heardAt.value };
    }
  }, 1_000);
}

function isListening(): boolean {
  const { state } = connection.peek();
  return state === "live" || state === "connecting";
}

/** As often the server gives a sign of life. */
const HEARTBEAT_MS = 15_000;

/** The job whose events are wanted too: that of the page that is open. */
function watched(): string[] {
  const [, page, id] = path.value.split("/");
  return page === "jobs" && id ? [`job:${id}`] : [];
}

async function follow(topics: string[], signal: AbortSignal): Promise<void> {
  try {
    const after = position === undefined ? {} : { after: position };
    for await (const message of api.stream({ topics, ...after }, { signal })) {
      if (message.id !== undefined) position = message.id;
      heardAt.value = new Date();
      connection.value = { state: "live" };
      tell(message.type, message.data);
    }
  } catch (error) {
    if (!signal.aborted) {
      connection.value = {
        state: "refused",
        problem: messageOf(error),
      };
    }
  }
}
