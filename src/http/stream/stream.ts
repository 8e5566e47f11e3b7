import { headOf } from "../../app/served/jobs.ts";
import { type Position, written } from "../../app/served/position.ts";
import type { ServedProject } from "../../app/served/projects.ts";
import type { Caller } from "../guards/caller.ts";
import type { Web } from "../web.ts";
import type { News } from "./news.ts";

/** What somebody wants to hear of. `jobs`: the rows of all jobs. `events`: those of these jobs, by their ids. */
export interface Topics {
  /** `fleet` and `inbox`. */
  news: ReadonlySet<string>;
  jobs: boolean;
  events: ReadonlySet<string>;
}

interface StreamOptions {
  web: Web;
  caller: Caller;
  topics: Topics;
  projects: readonly ServedProject[];
  /** As the stream before said it. */
  from: string | undefined;
  /** By topic. */
  news: Readonly<Record<string, News>>;
  /** Aborted when nobody reads any more. */
  signal: AbortSignal;
}

/** Then it ends, and the next request continues it: no connection is older, nor what it was allowed. */
const LASTS_MS = 10 * 60_000;
/** Also how soon a token that was revoked is heard no more. */
const PULSE_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

/**
 * A cursor into the journals of some projects, as server-sent events. Each piece is made when the one before has been taken:
 * whoever reads slowly costs a place in the journal, and nothing waits for them. Rows tell how a job stands and may come again;
 * every other event comes once, with the place after it as its id.
 */
export async function* streamed(options: StreamOptions): AsyncGenerator<string> {
  const { web, caller, topics, projects, news, signal } = options;
  const { position, isNew } = await web.tails.from(options.from, projects);
  const ends = performance.now() + LASTS_MS;
  yield `retry: ${RETRY_MS}\n\n`;
  // Who was elsewhere, or nowhere, starts from what there is.
  yield message(isNew ? "begin" : "resume", "{}", position);
  const told = new Map<string, string>();
  let spoken = performance.now();
  while (!signal.aborted && !web.closing.aborted && performance.now() < ends) {
    if (!web.access.stillHolds(caller.principal)) {
      yield message("revoked", "{}");
      return;
    }
    const bell = web.tails.next();
    let said = false;
    for (const { key } of projects) {
      for await (const piece of piecesOf(web, key, position, topics)) {
        said = true;
        yield piece;
      }
    }
    for (const [topic, of] of Object.entries(news)) {
      if (!topics.news.has(topic)) continue;
      const text = await of.of(projects);
      if (text === told.get(topic)) continue;
      told.set(topic, text);
      said = true;
      yield message(topic, text);
    }
    const isQuiet = performance.now() - spoken > HEARTBEAT_MS;
    if (!said && isQuiet) yield message("beat", "{}");
    if (said || isQuiet) spoken = performance.now();
    if (!said) await either(bell, PULSE_MS, signal);
  }
}

/** What one project has after a place in its journal. */
async function* piecesOf(
  web: Web,
  key: string,
  position: Map<string, number>,
  topics: Topics,
): AsyncGenerator<string> {
  const tail = web.tails.of(key);
  const place = position.get(key) ?? 0;
  if (tail.latest <= place) return;
  const { events, end } = await tail.read(place);
  if (events.length === 0) return;
  if (topics.jobs) {
    // The newest of each is enough. They come first: who is cut off between them gets them all again.
    const newest = new Map(events.map(({ event }) => [event.job, event.seq]));
    for (const [job, seq] of newest) {
      const row = await tail.row(job, seq);
      yield row ? message("job", row.json) : message("forgotten", JSON.stringify({ id: job }));
    }
  }
  for (const { id, event } of events) {
    if (!topics.events.has(event.job)) continue;
    position.set(key, id);
    yield message("event", JSON.stringify({ job: event.job, ...headOf(event) }), position);
  }
  position.set(key, end);
  yield message("position", "{}", position);
}

function message(type: string, data: string, id?: Position): string {
  const lines = [`event: ${type}`, `data: ${data}`];
  if (id) lines.push(`id: ${written(id)}`);
  return `${lines.join("\n")}\n\n`;
}

/** Until the bell, or for so long at most. */
async function either(bell: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  const timer = setTimeout(end, ms);
  signal.addEventListener("abort", end, { once: true });
  await Promise.race([bell, over.promise]);
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
}
