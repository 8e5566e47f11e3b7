import { isOnlyToBeClosed, type Job } from "../../job/job.ts";
import { findJob } from "../../store/jobs.ts";
import {
  allMessages,
  changeMessage,
  messagesTo,
  type QueuedMessage,
  queueMessage,
  removeMessage,
} from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import type { Moment } from "../../store/tables.ts";
import { given } from "../../util/given.ts";
import { UsageError } from "../usage-error.ts";
import { eventsSoFar } from "./follow.ts";

export type { Moment } from "../../store/tables.ts";

/** The job ended before it could be told something. */
export class NotToldError extends UsageError {}

/** More than a session should read at once. */
const MOST_CHARACTERS = 200_000;

/** What `--json` prints of a message that waits: its keys are a promise to users. */
export interface MessageView {
  /** By which it can be taken back. */
  id: number;
  job: string;
  text: string;
  /** When the agent hears it. */
  at: Moment;
  sentAt: string;
}

/** Keeps a message for the session of a job, which hears it at that moment; one that rests, when it is resumed. */
export async function sendTo(store: Store, job: Job, text: string, moment: Moment): Promise<MessageView> {
  const { id } = job;
  refuseText(text);
  if (job.compacted || isOnlyToBeClosed(job)) throw over(id);
  const at = new Date().toISOString();
  const number = await queueMessage(store, id, { text, moment, at });
  if (number === undefined) throw over(id);
  return view(id, { id: number, text, moment, at });
}

function refuseText(text: string): void {
  if (text.trim() === "") throw new UsageError("The message is empty. Say what to tell the agent.");
  if (text.length > MOST_CHARACTERS) {
    throw new UsageError(
      `The message has ${text.length} characters; the limit is ${MOST_CHARACTERS}. Put it into a file, and name that.`,
    );
  }
}

function over(id: string): NotToldError {
  return new NotToldError(
    `${id} is done, so its agent gets no more messages. Start another with \`baton run\`.`,
  );
}

/** What waits for a job's session, or for all of them, oldest first. */
export async function messagesFor(store: Store, named?: string): Promise<MessageView[]> {
  if (named === undefined) return (await allMessages(store)).map((message) => view(message.job, message));
  const { id } = await findJob(store, named);
  return (await messagesTo(store, id)).map((message) => view(id, message));
}

/** Takes a message back that waits. */
export async function takeBack(store: Store, id: number): Promise<MessageView> {
  const removed = await removeMessage(store, id, new Date());
  if (!removed) throw notWaiting(id);
  return view(removed.job, removed);
}

/** Changes what a message that waits says, or when its agent gets it. */
export async function changeWaiting(
  store: Store,
  id: number,
  { text, at }: { text?: string; at?: Moment },
): Promise<MessageView> {
  if (text !== undefined) refuseText(text);
  const change = given({ text, moment: at });
  if (Object.keys(change).length === 0) throw new UsageError("Say what to change: the text, or the moment.");
  const changed = await changeMessage(store, id, change, new Date());
  if (!changed) throw notWaiting(id);
  return view(changed.job, changed);
}

function notWaiting(id: number): UsageError {
  return new UsageError(
    `No message ${id} is waiting: its agent has it, or there was none. \`baton messages\` lists those that are.`,
  );
}

/** What `--json` prints of a message that a session was told. */
export interface ToldMessage {
  id: number;
  job: string;
  text: string;
  session: string;
  toldAt: string;
  /** When the session was known to have it; null until then. */
  deliveredAt: string | null;
}

/** What was sent to a job and its sessions were told, by its journal, oldest first. */
export async function toldIn(store: Store, job: string): Promise<ToldMessage[]> {
  const told = new Map<number, ToldMessage>();
  for await (const event of eventsSoFar(store, job, 0)) {
    if (event.type === "message:sent" && event.queued !== undefined) {
      const { queued: id, text, session, at: toldAt } = event;
      told.set(id, { id, job, text, session, toldAt, deliveredAt: null });
    }
    for (const id of event.type === "message:delivered" ? event.queued : []) {
      const message = told.get(id);
      if (message) message.deliveredAt ??= event.at;
    }
  }
  return [...told.values()];
}

function view(job: string, { id, text, moment, at }: QueuedMessage): MessageView {
  return { id, job, text, at: moment, sentAt: at };
}
