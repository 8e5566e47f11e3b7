import type { ClaimEnd } from "../../store/tables.ts";
import { fromJson, isFields } from "../../util/json.ts";

/** What a claim says for every fleet to read: who has an item, and until when. */
export interface ClaimRecord {
  source: string;
  item: string;
  /** Rises with every claim of the item. */
  epoch: number;
  state: "claimed" | ClaimEnd;
  job: string;
  agent: string;
  /** The same in all claims of one item by one store, and in no others. */
  holder: string;
  /** How often work on the item failed, or was left without an end, before this claim; with it, once it has failed. */
  attempts: number;
  leaseMs: number;
  /** By the clock of the tracker's server. Missing where that was not known: then only time tells, by being waited for. */
  until?: string;
  /** When it was written, by the same clock, or else by the writer's own. For people. */
  at: string;
  /** Another in every record, so that no two are the same. */
  nonce: string;
}

const STATES: readonly string[] = ["claimed", "done", "released", "failed"] satisfies ClaimRecord["state"][];

/** Beyond that it is nobody's record. */
const MOST_CHARACTERS = 4_000;

/** A line for people, and a line for Baton. */
export function printRecord(record: ClaimRecord): string {
  const { source, item, job, state, epoch } = record;
  return `baton: ${item} of ${source} is ${state} by ${job}, claim ${epoch}\n\n${JSON.stringify(record)}\n`;
}

/** Undefined for what no Baton wrote, or one that is newer and says something else. */
export function parseRecord(text: string): ClaimRecord | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const line = text.split("\n").find((each) => each.startsWith("{"));
  const value = line === undefined ? undefined : fromJson(line);
  if (!isFields(value)) return undefined;
  const { source, item, epoch, state, job, agent, holder, attempts, leaseMs, until, at, nonce } = value;
  const texts = [source, item, job, agent, holder, nonce];
  const isWhole =
    texts.every((each) => typeof each === "string" && each !== "") &&
    [epoch, attempts, leaseMs].every((each) => Number.isSafeInteger(each) && Number(each) >= 0) &&
    typeof state === "string" &&
    STATES.includes(state) &&
    isTime(at) &&
    (until === undefined || isTime(until));
  return isWhole ? (value as unknown as ClaimRecord) : undefined;
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
