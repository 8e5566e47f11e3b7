import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CostsBy, spentInStore } from "../src/app/cost/by.ts";
import { costInStore } from "../src/app/cost/cost.ts";
import { timeInStore } from "../src/app/records/time.ts";
import { FEED_TYPES } from "../src/job/feed.ts";
import { eventPage } from "../src/store/events.ts";
import { eventsOfAll, latestId } from "../src/store/feed.ts";
import { type AfterJob, type JobFilter, jobPage } from "../src/store/job-list.ts";
import { findJob } from "../src/store/jobs.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { type Measure, median, timed } from "./measure.ts";
import { AGENTS, idOf, storeOf } from "./store-of.ts";

const MANY = 100_000;
const FEW = 1_000;
const EVENTS_OF_JOB = 100;
const ROUNDS = 31;
const WARM_UP_ROUNDS = 5;
const LIMIT = 3;
const PAGE = 50;

/** What a person asks of a store, or a program on their behalf. `place`: another job each time. */
interface Place {
  store: Store;
  jobs: number;
  place: number;
}

type Question = (place: Place) => Promise<unknown>;

const DEEP = 0.5;

async function pages(store: Store, filter: JobFilter, after?: AfterJob): Promise<void> {
  const { jobs } = await jobPage(store, PAGE, filter, after);
  if (jobs.length < 10) throw new Error(`Only ${jobs.length} jobs for ${JSON.stringify(filter)}`);
}

/** From the middle of the list on. */
async function deepPages({ store, jobs }: Place, filter: JobFilter): Promise<void> {
  const { id, createdAt } = await findJob(store, idOf(Math.floor(jobs * DEEP)));
  await pages(store, filter, { id, createdAt });
}

/** There are more days in the one store than in the other: the same number of them is asked for. */
const DAYS = 10;

const by =
  (what: CostsBy) =>
  ({ store }: Place) =>
    spentInStore(store, what, { limit: what === "day" ? DAYS : PAGE });

const questions: Record<string, Question> = {
  jobs: ({ store }) => pages(store, {}),
  "jobs-deep": (place) => deepPages(place, {}),
  "jobs-status": ({ store }) => pages(store, { status: "failed" }),
  "jobs-statuses": ({ store }) => pages(store, { status: ["failed", "paused", "completed"] }),
  "jobs-agent": ({ store }) => pages(store, { agent: AGENTS[1] ?? "" }),
  "jobs-agent-status": (place) => deepPages(place, { agent: AGENTS[1] ?? "", status: "failed" }),
  "jobs-text": ({ store }) => pages(store, { text: "billing" }),
  "jobs-text-deep": (place) => deepPages(place, { text: "of customer" }),
  "jobs-text-status": ({ store }) => pages(store, { text: "the login page", status: "completed" }),
  "job-by-short-id": ({ store, jobs, place }) => findJob(store, idOf((place * 37) % jobs).slice(-6)),
  "events-newest": ({ store, jobs, place }) =>
    eventPage(store, idOf((place * 37) % jobs), PAGE, { order: "desc" }),
  "events-next": ({ store, jobs, place }) =>
    eventPage(store, idOf((place * 41) % jobs), PAGE, { order: "asc", after: 40 }),
  "events-of-all": async ({ store }) =>
    eventsOfAll(store, FEED_TYPES, { after: 0, before: await latestId(store), limit: PAGE, order: "desc" }),
  cost: ({ store }) => costInStore(store),
  "cost-by-day": by("day"),
  "cost-by-agent": by("agent"),
  "cost-by-model": by("model"),
  "cost-by-job": by("job"),
  time: ({ store }) => timeInStore(store, {}, new Date()),
};

/** How much longer each question takes of a store with very many jobs than of one with few. */
export async function measureStore(): Promise<Measure[]> {
  const root = await mkdtemp(join(tmpdir(), "baton-bench-store-"));
  try {
    const many = await placeOf(root, MANY);
    const few = await placeOf(root, FEW);
    const measures: Measure[] = [];
    for (const [name, ask] of Object.entries(questions)) {
      const times = { many: Array.of<number>(), few: Array.of<number>() };
      for (let place = -WARM_UP_ROUNDS; place < ROUNDS; place++) {
        const fewMs = await timed(() => ask({ ...few, place: Math.abs(place) }));
        const manyMs = await timed(() => ask({ ...many, place: Math.abs(place) }));
        if (place < 0) continue;
        times.few.push(fewMs);
        times.many.push(manyMs);
      }
      measures.push({
        name: `store-${name}`,
        value: median(times.many) / median(times.few),
        unit: "ratio",
        limit: LIMIT,
        detail: {
          compared: `of ${MANY} jobs with ${MANY * EVENTS_OF_JOB} events / of ${FEW} with ${FEW * EVENTS_OF_JOB}`,
          ...{ manyMs: median(times.many), fewMs: median(times.few), rounds: ROUNDS },
          ...{ manyMB: many.megabytes, builtSeconds: many.builtMs / 1_000 },
        },
      });
    }
    await Promise.all([many, few].map(({ store }) => store.close()));
    return measures;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function placeOf(root: string, jobs: number) {
  const folder = join(root, String(jobs));
  const builtMs = await timed(() => storeOf(folder, jobs, EVENTS_OF_JOB));
  const path = join(folder, ".baton", "baton.db");
  return { jobs, builtMs, megabytes: (await stat(path)).size / 1e6, store: await openStore(path) };
}
