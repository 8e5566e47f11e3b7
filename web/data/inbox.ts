import { signal } from "@preact/signals";
import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "./api.ts";
import { hear } from "./live.ts";

export type InboxRow = AnswerOf<"listInbox">["inbox"][number];

/** All that waits for a person; what waiting costs most comes first. */
export const inbox = signal<readonly InboxRow[]>([]);

export async function loadInbox(): Promise<void> {
  inbox.value = (await api.listInbox({})).inbox;
}

/** Jobs that ask, stop or fail are told of; how long they have done so is the page's own to count. */
const TOGETHER_MS = 300;
let isDue = false;

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
}
