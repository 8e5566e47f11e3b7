import { computed, effect, signal } from "@preact/signals";
import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "./api.ts";
import { now } from "./clock.ts";
import { hear } from "./live.ts";

export type InboxRow = AnswerOf<"listInbox">["inbox"][number];

/** All that waits for a person; what waiting costs most comes first. */
const all = signal<readonly InboxRow[]>([]);

const KEPT = "baton.snoozed";

/** Until when this browser leaves a row out, by its key: in milliseconds. */
const snoozed = signal<Readonly<Record<string, number>>>(kept());

function kept(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

export const keyOfRow = ({ project, kind, id }: InboxRow) => `${project} ${kind} ${id}`;

export const isSnoozed = (row: InboxRow) => keyOfRow(row) in snoozed.value;

/** What is to be seen now. */
export const inbox = computed(() => all.value.filter((row) => !isSnoozed(row)));

/** How many of these wait for the person: a rule that could be added does not. Terminals count the same. */
export const needing = computed(() => inbox.value.filter(({ kind }) => kind !== "denied").length);

const askers = computed(() => new Set(all.value.flatMap(({ ask, jobs }) => (ask ? jobs : []))));

/** Whether the agent of a job waits for an answer. */
export const asks = ({ id }: { id: string }) => askers.value.has(id);

export const snoozedRows = computed(() => all.value.filter(isSnoozed));

export function snooze(rows: readonly InboxRow[], ms: number): void {
  const until = Date.now() + ms;
  keep({ ...snoozed.value, ...Object.fromEntries(rows.map((row) => [keyOfRow(row), until])) });
}

export function wakeAll(): void {
  keep({});
}

function keep(next: Record<string, number>): void {
  localStorage.setItem(KEPT, JSON.stringify(next));
  snoozed.value = next;
}

/** How often it was asked for, and which of these questions is answered on the page. */
let asked = 0;
let shown = 0;

export async function loadInbox(): Promise<void> {
  const turn = ++asked;
  const { inbox: rows } = await api.listInbox({});
  // A later question may be answered sooner.
  if (turn < shown) return;
  shown = turn;
  all.value = rows;
}

/** Jobs that ask, stop or fail are told of; how long they have done so is the page's own to count. */
const TOGETHER_MS = 300;
let isDue = false;
const MINUTE_MS = 60_000;
const minute = computed(() => Math.floor(now.value.getTime() / MINUTE_MS));

function soon(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    loadInbox().catch(() => {});
  }, TOGETHER_MS);
}

export function followInbox(): void {
  hear("job", soon);
  hear("fleet", soon);
  hear("forgotten", soon);
  hear("begin", soon);
  effect(() => {
    const left = Object.entries(snoozed.value).filter(([, until]) => until > now.value.getTime());
    if (left.length < Object.keys(snoozed.peek()).length) keep(Object.fromEntries(left));
  });
  // A missed schedule or an item that changed in its tracker is in no job's journal.
  let last = minute.peek();
  effect(() => {
    if (minute.value === last) return;
    last = minute.value;
    soon();
  });
  // Another tab of this browser.
  addEventListener("storage", ({ key }) => {
    if (key === KEPT) snoozed.value = kept();
  });
}
