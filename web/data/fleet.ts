import { computed, signal } from "@preact/signals";
import type { AnswerOf } from "../../src/http/contract.ts";
import type { JobRow } from "../../src/http/stream/messages.ts";
import { api } from "./api.ts";
import { hear, heardUpTo } from "./live.ts";

export type { JobRow } from "../../src/http/stream/messages.ts";
export type Fleet = Omit<AnswerOf<"getFleet">, "at" | "position">;

export const fleet = signal<Fleet | undefined>(undefined);

const jobs = signal<ReadonlyMap<string, JobRow>>(new Map());

/** The newest first. */
export const rows = computed(() =>
  [...jobs.value.values()].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
);

/** Of those that are over, the newest are held in the page. */
const MOST = 200;
/** All the others are, up to here. */
const MOST_LIVE = 2_000;
const LIVE = "created,queued,running,waiting,paused,interrupted";

/** There are older jobs than the page holds. */
export const holdsAll = signal(true);

export function rowOf(id: string): JobRow | undefined {
  return jobs.value.get(id);
}

/** What the stream told while everything was asked for: it is newer than the answer. */
interface Meanwhile {
  fleet?: Fleet;
  rows: Map<string, JobRow | undefined>;
}

const asking = new Set<Meanwhile>();

/** Asks for everything. */
export async function loadFleet(): Promise<void> {
  const meanwhile: Meanwhile = { rows: new Map() };
  asking.add(meanwhile);
  try {
    const [state, page] = await Promise.all([api.getFleet({}), api.listJobs({ limit: MOST })]);
    const live = page.next === undefined ? [] : await liveJobs();
    heardUpTo(page.position);
    fleet.value = meanwhile.fleet ?? state;
    holdsAll.value = page.next === undefined;
    const found = new Map([...live, ...page.jobs].filter(isRow).map((row) => [row.id, row]));
    jobs.value = withNewer(found, meanwhile.rows);
  } finally {
    asking.delete(meanwhile);
  }
}

async function liveJobs() {
  const found: AnswerOf<"listJobs">["jobs"] = [];
  let after: string | undefined;
  do {
    const page = await api.listJobs({ status: LIVE, limit: MOST, ...(after !== undefined && { after }) });
    found.push(...page.jobs);
    after = page.next;
  } while (after !== undefined && found.length < MOST_LIVE);
  return found;
}

export function isRow(job: AnswerOf<"listJobs">["jobs"][number]): job is JobRow {
  return "title" in job;
}

/** What came since the page was last drawn: it is drawn once for all of it. */
let changed = new Map<string, JobRow | undefined>();

function show(): void {
  const these = changed;
  changed = new Map();
  jobs.value = withNewer(jobs.value, these);
}

function withNewer(
  known: ReadonlyMap<string, JobRow>,
  told: ReadonlyMap<string, JobRow | undefined>,
): ReadonlyMap<string, JobRow> {
  const next = new Map(known);
  for (const [id, row] of told) {
    if (row === undefined) next.delete(id);
    else if ((next.get(id)?.seq ?? -1) <= row.seq) next.set(id, row);
  }
  return next;
}

const TOGETHER_MS = 100;

function change(id: string, row: JobRow | undefined): void {
  if (changed.size === 0) setTimeout(show, TOGETHER_MS);
  changed.set(id, row);
  for (const { rows } of asking) rows.set(id, row);
}

/** Keeps it current from then on. */
export function followFleet(): void {
  hear("fleet", (told) => {
    fleet.value = told;
    for (const each of asking) each.fleet = told;
  });
  hear("job", (row) => change(row.id, row));
  hear("forgotten", ({ id }) => change(id, undefined));
  // Where it cannot be asked now, the stream begins again.
  hear("begin", () => void loadFleet().catch(() => {}));
}
