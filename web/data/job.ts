import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../../src/client.ts";
import type { AnswerOf } from "../../src/http/contract.ts";
import { messageOf } from "../../src/util/errors.ts";
import { api } from "./api.ts";
import { rowOf } from "./fleet.ts";
import { gathered } from "./gathered.ts";

export type Job = AnswerOf<"getJob">;
export type Lanes = AnswerOf<"getRelay">["lanes"];

interface Held {
  id: string;
  /** The last event that it knows of. */
  seq: number;
  job?: Job;
  lanes: Lanes;
  error?: string;
}

/** The job that is open, for all parts of its page. */
const held = signal<Held>({ id: "", seq: -1, lanes: [] });
let open = "";

/** Soon enough for a page that somebody reads, and seldom enough for a job with ten events a second. */
const FRESH_MS = 1_000;

async function load(): Promise<void> {
  const id = open;
  try {
    const [job, { lanes }] = await Promise.all([api.getJob({ job: id }), api.getRelay({ job: id })]);
    if (id === open) held.value = { id, seq: job.seq, job, lanes };
  } catch (error) {
    if (id !== open) return;
    // What is refused stays refused. A server that is not there may come back: what is known of the job stays until then.
    const isAway = !(error instanceof ApiError);
    const known = isAway && held.value.id === id ? held.value : { id, seq: -1, lanes: [] };
    held.value = { ...known, error: messageOf(error) };
    if (isAway) loading.soon(FRESH_MS);
  }
}

const loading = gathered(load);

/** A job as it stands, with the lanes of its sessions. */
export function useJob(id: string): { job?: Job; lanes: Lanes; error?: string; reload: () => void } {
  const newest = rowOf(id)?.seq ?? 0;
  const { id: of, seq, job, lanes, error } = held.value;
  useEffect(() => {
    if (id !== open) {
      open = id;
      loading.now();
    } else if (of !== id || seq < newest) loading.soon(FRESH_MS);
  }, [id, newest, of, seq]);
  const reload = loading.now;
  if (of !== id) return { lanes: [], reload };
  return { lanes, reload, ...(job && { job }), ...(error !== undefined && { error }) };
}

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** Nobody is there any more to hear what it is told. */
export function isOver({ status }: Pick<Job, "status">): boolean {
  return OVER.has(status);
}
