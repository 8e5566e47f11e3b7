import { isOnlyToBeClosed, type Job } from "../../job/job.ts";
import { findJob } from "../../store/jobs.ts";
import {
  allMessages,
  messagesTo,
  type QueuedMessage,
  queueMessage,
  removeMessage,
} from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import type { Moment } from "../../store/tables.ts";
import { UsageError } from "../usage-error.ts";

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
  if (text.trim() === "") throw new UsageError("The message is empty. Say what to tell the agent.");
  if (text.length > MOST_CHARACTERS) {
    throw new UsageError(
      `The message has ${text.length} characters; the limit is ${MOST_CHARACTERS}. Put it into a file, and name that.`,
    );
  }
  if (job.compacted || isOnlyToBeClosed(job)) throw over(id);
  const at = new Date().toISOString();
  const number = await queueMessage(store, id, { text, moment, at });
  if (number === undefined) throw over(id);
  return view(id, { id: number, text, moment, at });
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
  if (removed) return view(removed.job, removed);
  throw new UsageError(
    `No message ${id} is waiting: its agent has read it, or there was none. \`baton send --list\` lists those that are.`,
  );
}

function view(job: string, { id, text, moment, at }: QueuedMessage): MessageView {
  return { id, job, text, at: moment, sentAt: at };
}
