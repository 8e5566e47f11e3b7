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

/** So much is written at once. Whoever is slow has no more of it waiting, and a piece longer. */
const PIECE_CHARACTERS = 32_768;

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
  const { web, caller, projects, signal } = options;
  const { position, isNew } = await web.tails.from(options.from, projects);
  const ends = performance.now() + LASTS_MS;
  yield `retry: ${RETRY_MS}\n\n`;
  // Who was elsewhere, or nowhere, starts from what there is.
  yield message(isNew ? "begin" : "resume", "{}", position);
  const told = new Map<string, string>();
  let spoken = performance.now();
  const isOpen = () => !signal.aborted && !web.closing.aborted && performance.now() < ends;
  const isHeard = () => isOpen() && web.access.stillHolds(caller.principal) !== undefined;
  while (isHeard()) {
    const bell = web.tails.next();
    let said = false;
    for await (const piece of whatIsNew(options, position, told)) {
      // Before each of them: who reads slowly hears no more once the token is revoked.
      if (!isHeard()) break;
      said = true;
      yield piece;
    }
    const isQuiet = performance.now() - spoken > HEARTBEAT_MS;
    if (!said && isQuiet) yield message("beat", "{}");
    if (said || isQuiet) spoken = performance.now();
    if (!said && isHeard()) await either(bell, PULSE_MS, signal);
  }
  if (isOpen()) yield message("revoked", "{}");
}

/** Since the last time. `told`: the news of each topic, as they were told then. */
async function* whatIsNew(
  { web, projects, topics, news }: StreamOptions,
  position: Map<string, number>,
  told: Map<string, string>,
): AsyncGenerator<string> {
  for (const { key } of projects) yield* piecesOf(web, key, position, topics);
  for (const [topic, of] of Object.entries(news)) {
    if (!topics.news.has(topic)) continue;
    const text = await of.of(projects);
    if (text === told.get(topic)) continue;
    told.set(topic, text);
    yield message(topic, text);
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
  let piece = "";
  if (topics.jobs) {
    // The newest of each is enough. They come first: who is cut off between them gets them all again.
    const newest = new Map(events.map(({ event }) => [event.job, event.seq]));
    for (const [job, seq] of newest) {
      const row = await tail.row(job, seq);
      piece += row ? message("job", row.json) : message("forgotten", JSON.stringify({ id: job }));
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = "";
    }
  }
  for (const sent of events) {
    if (!topics.events.has(sent.event.job)) continue;
    position.set(key, sent.id);
    piece += message("event", sent.json, position);
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  position.set(key, end);
  yield piece + message("position", "{}", position);
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
