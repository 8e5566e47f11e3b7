import {
  changeWaiting,
  type MessageView,
  type Moment,
  messagesFor,
  sendTo,
  takeBack,
} from "../../../app/jobs/messages.ts";
import { namedOrRunning } from "../../../app/jobs/which.ts";
import { findProject, openStoreOfJobs } from "../../../app/project.ts";
import { UsageError } from "../../../app/usage-error.ts";
import { messageWords, momentInWords } from "../../../display/messages.ts";
import { printJson, printWords } from "../../../display/print.ts";
import { oneLine } from "../../../display/style.ts";
import { fitted } from "../../../display/width.ts";
import type { Job } from "../../../job/job.ts";
import type { Store } from "../../../store/store.ts";
import { given } from "../../../util/given.ts";
import { textOn } from "../prompt.ts";

export interface SendOptions {
  config?: string;
  json?: boolean;
  at?: Moment;
  list?: boolean;
  edit?: number;
  remove?: number;
}

const SHOWN = 60;

/** Sends the agent of a job something, or lists or takes back what it has not heard yet. */
export async function send(words: string[], options: SendOptions): Promise<number> {
  await using store = await openStoreOfJobs(findProject(options));
  if (options.list) return list(await messagesFor(store, words[0]), options);
  if (options.remove !== undefined) {
    const removed = await takeBack(store, options.remove);
    if (options.json) printJson(removed);
    else printWords(`Removed message ${removed.id}: ${fitted(oneLine(removed.text), SHOWN)}`);
    return 0;
  }
  if (options.edit !== undefined) return await edit(store, options.edit, words, options);
  const { job, text } = await whatToSend(store, words);
  const sent = await sendTo(store, job, text, options.at ?? "boundary");
  if (options.json) printJson(sent);
  else printWords(inWords(sent, job));
  return 0;
}

async function edit(store: Store, id: number, words: string[], { at, json }: SendOptions): Promise<number> {
  const [word, ...more] = words;
  if (more.length > 0) {
    throw new UsageError(
      `Too many words. Put the message in quotes: baton send --edit ${id} "${words.join(" ")}"`,
    );
  }
  const text = word === undefined ? undefined : await textOn(word);
  const changed = await changeWaiting(store, id, given({ text, at }));
  if (json) printJson(changed);
  else printWords(`Changed message ${messageWords(changed)}`);
  return 0;
}

function list(messages: MessageView[], { json }: SendOptions): number {
  if (json) printJson(messages);
  else if (messages.length === 0) printWords("No messages are waiting.");
  for (const { id, job, at, text } of json ? [] : messages) {
    printWords(`${job}  ${messageWords({ id, at, text: fitted(oneLine(text), SHOWN) })}`);
  }
  return 0;
}

function inWords({ id, at }: MessageView, { id: job, status }: Job): string {
  const isResting = !["created", "queued", "running", "waiting"].includes(status);
  const when = isResting
    ? `when the job, which is ${status}, continues: baton resume ${job}`
    : status === "queued"
      ? "once the fleet has started the job."
      : `${momentInWords(at)}.`;
  return `Message ${id} waits for ${job}. Its agent gets it ${when}\nChange it with: baton send --edit ${id} "…"; remove it with: baton send --remove ${id}`;
}

async function whatToSend(store: Store, words: string[]): Promise<{ job: Job; text: string }> {
  const [first, second, ...more] = words;
  if (more.length > 0) {
    throw new UsageError(
      `Too many words. Put the message in quotes: baton send ${first} "${words.slice(1).join(" ")}"`,
    );
  }
  if (first !== undefined && second !== undefined) {
    return { job: await namedOrRunning(store, first, "send"), text: await textOn(second) };
  }
  // A job's name alone is no message: its text comes on standard input, or was forgotten.
  const named = first === undefined || first === "-" ? undefined : await jobNamed(store, first);
  if (named && process.stdin.isTTY) {
    throw new UsageError(
      `What should it tell the agent? Put it in quotes: baton send ${first} "Use port 8080"`,
    );
  }
  if (first === undefined && process.stdin.isTTY) {
    throw new UsageError('What should it tell the agent? Put it in quotes: baton send "Use port 8080"');
  }
  const job = named ?? (await namedOrRunning(store, undefined, "send"));
  return { job, text: await textOn(named ? undefined : first) };
}

async function jobNamed(store: Store, word: string): Promise<Job | undefined> {
  return namedOrRunning(store, word, "send").catch((error: unknown) => {
    if (error instanceof Error && error.name === "JobNotFoundError") return undefined;
    throw error;
  });
}
