import { setTimeout } from "node:timers/promises";
import type { JournalEvent } from "../../job/events.ts";
import { ENDINGS, SPAN_TYPES, spansOfRun } from "../../job/spans.ts";
import { positionOf, setPosition } from "../../store/access/exports.ts";
import { JobNotFoundError } from "../../store/errors.ts";
import { eventPage } from "../../store/events.ts";
import { eventsOfAll, latestId } from "../../store/feed.ts";
import { getJob } from "../../store/jobs.ts";
import { openAccessState } from "../../store/sqlite/access-state.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";
import { type Collector, otlp, type Trace } from "./otlp.ts";

const LOOK_MS = 2_000;
const MOST_WAIT_MS = 60_000;
const SEND_MS = 10_000;
const RUNS_AT_ONCE = 20;
const EVENTS_AT_ONCE = 1_000;
/** What may pass, by the specification; all else would be refused again. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Sends a collector what jobs did, once they rest, out of their journals: nothing in a job waits for it, and where it ends or
 * the collector does, the next one continues at the same place.
 */
export class TraceExport implements AsyncDisposable {
  readonly #projects: readonly Project[];
  readonly #collector: Collector;
  readonly #tell: (trouble: string) => void;
  readonly #ending = new AbortController();
  #told: string | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(projects: readonly Project[], collector: Collector, tell: (trouble: string) => void) {
    this.#projects = projects;
    this.#collector = collector;
    this.#tell = tell;
  }

  begin(): void {
    this.#work = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    for (let wait = LOOK_MS; !signal.aborted; ) {
      try {
        await this.exportNow();
        this.#told = undefined;
        wait = LOOK_MS;
      } catch (error) {
        this.#complain(messageOf(error));
        wait = Math.min(MOST_WAIT_MS, wait * 2);
      }
      await setTimeout(wait, undefined, { signal }).catch(() => {});
    }
  }

  /** Everything that has ended since the last time. */
  async exportNow(): Promise<void> {
    using state = openAccessState();
    for (const project of this.#projects) {
      const to = { project: project.root, to: this.#collector.url };
      const known = positionOf(state, to);
      await using store = hasStore(project) ? await lookIntoStore(project) : undefined;
      const latest = store ? await latestId(store) : 0;
      // Of what was before somebody wanted traces, there are none.
      let position = known ?? latest;
      if (known === undefined) setPosition(state, to, position);
      while (store && position < latest && !this.#ending.signal.aborted) {
        position = await this.#exportSome(project, store, { after: position, latest });
        setPosition(state, to, position);
      }
    }
  }

  /** Up to where it came. */
  async #exportSome(
    { root }: Project,
    store: Store,
    { after, latest }: { after: number; latest: number },
  ): Promise<number> {
    const wanted = { after, before: latest + 1, limit: RUNS_AT_ONCE, order: "asc" } as const;
    const endings = await eventsOfAll(store, ENDINGS, wanted);
    const traces: Trace[] = [];
    for (const { event } of endings) {
      traces.push({ root, job: event.job, spans: await spansIn(store, event) });
    }
    if (traces.length > 0) await this.#send(otlp(traces, this.#collector.service));
    return endings.length < RUNS_AT_ONCE ? latest : (endings.at(-1)?.id ?? latest);
  }

  async #send(body: object): Promise<void> {
    const { url, headers } = this.#collector;
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(SEND_MS)]);
    const { host } = new URL(url);
    const answer = await fetch(url, {
      ...{ method: "POST", redirect: "error", signal, body: JSON.stringify(body) },
      headers: { ...headers, "content-type": "application/json" },
    }).catch((error: unknown) => {
      throw new Error(`Traces wait: ${host} does not answer (${messageOf(error)}).`);
    });
    await answer.body?.cancel();
    if (answer.ok) return;
    if (PASSING.has(answer.status)) throw new Error(`Traces wait: ${host} answered ${answer.status}.`);
    this.#complain(
      `${host} answered ${answer.status} to traces, so that these are not sent again. Check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.`,
    );
  }

  /** The same thing once. */
  #complain(trouble: string): void {
    if (this.#ending.signal.aborted || trouble === this.#told) return;
    this.#told = trouble;
    this.#tell(trouble);
  }

  /** What has not been sent follows with the next fleet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#work;
  }
}

async function spansIn(store: Store, ending: JournalEvent): Promise<Trace["spans"]> {
  try {
    const job = await getJob(store, ending.job);
    const [earlier] = await latestEnding(store, ending);
    const events: JournalEvent[] = [];
    for (let after: number | undefined = earlier?.seq ?? 0; after !== undefined; ) {
      const page = await eventPage(store, ending.job, EVENTS_AT_ONCE, {
        ...{ after, before: ending.seq + 1, types: SPAN_TYPES, order: "asc" },
      });
      events.push(...page.events);
      after = page.next;
    }
    return spansOfRun(job, events);
  } catch (error) {
    // It was forgotten meanwhile.
    if (error instanceof JobNotFoundError) return [];
    throw error;
  }
}

async function latestEnding(store: Store, { job, seq }: JournalEvent): Promise<JournalEvent[]> {
  return (await eventPage(store, job, 1, { before: seq, types: ENDINGS, order: "desc" })).events;
}
