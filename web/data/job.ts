import { signal } from "@preact/signals";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "./api.ts";
import { rowOf } from "./fleet.ts";

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
let isAsking = false;

/** Soon enough for a page that somebody reads, and seldom enough for a job with ten events a second. */
const FRESH_MS = 1_000;

async function load(id: string): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  try {
    const [job, { lanes }] = await Promise.all([api.getJob({ job: id }), api.getRelay({ job: id })]);
    held.value = { id, seq: job.seq, job, lanes };
  } catch (error) {
    held.value = { id, seq: -1, lanes: [], error: error instanceof Error ? error.message : String(error) };
  } finally {
    isAsking = false;
  }
}

/** A job as it stands, with the lanes of its sessions. */
export function useJob(id: string): { job?: Job; lanes: Lanes; error?: string; reload: () => void } {
  const newest = rowOf(id)?.seq ?? 0;
  const [again, setAgain] = useState(0);
  const isCurrent = held.value.id === id && held.value.seq >= newest;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` asks once more for the same.
  useEffect(() => {
    if (isCurrent && again === 0) return;
    const timer = setTimeout(() => void load(id), held.value.id === id ? FRESH_MS : 0);
    return () => clearTimeout(timer);
  }, [id, newest, again]);
  const reload = useCallback(() => setAgain((turn) => turn + 1), []);
  const { id: of, job, lanes, error } = held.value;
  if (of !== id) return { lanes: [], reload };
  return { lanes, reload, ...(job && { job }), ...(error !== undefined && { error }) };
}
