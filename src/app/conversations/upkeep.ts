import { JobOwnedError } from "../../store/claims.ts";
import { forgetChatEvents } from "../../store/conversations/chat-events.ts";
import {
  changeConversation,
  expiredConversations,
  jobsToEnd,
  jobsToWake,
} from "../../store/conversations/conversations.ts";
import { forgetSent } from "../../store/conversations/outbox.ts";
import { getJob } from "../../store/jobs.ts";
import { queueAgain } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { DAY_MS } from "../../util/time.ts";
import type { Bot, Speaker } from "./bots.ts";
import { PEOPLE_WAIT } from "./take.ts";

/** A service tells again what it told this long ago at most. */
const REMEMBERED_MS = 7 * DAY_MS;

const WRITTEN = { message: "somebody wrote in its conversation" };
const OVER = { message: "its conversation is over" };

/**
 * Queues the jobs that rest and are to hear something, or to come to their end. Returns how many, and those that somebody paused
 * by hand and that hear nothing.
 */
export async function queueWhoRests(store: Store, now: Date): Promise<{ queued: number; paused: string[] }> {
  const paused: string[] = [];
  let queued = 0;
  const queue = async (job: string, why: { message: string }) => {
    if (await queuedAgain(store, job, why, now)) queued += 1;
  };
  for (const { job } of await jobsToWake(store)) {
    const { pauseCode } = await getJob(store, job);
    if (pauseCode === "requested") paused.push(job);
    else await queue(job, WRITTEN);
  }
  for (const job of await jobsToEnd(store)) await queue(job, OVER);
  return { queued, paused };
}

/** False where somebody has it, or it waits already. */
export async function queuedAgain(
  store: Store,
  job: string,
  why: { message: string },
  now: Date,
): Promise<boolean> {
  try {
    return (await queueAgain(store, job, { wanted: PEOPLE_WAIT, ...why }, now)) !== undefined;
  } catch (error) {
    if (error instanceof JobOwnedError) return false;
    throw error;
  }
}

/** Forgets what no service tells again, and ends the conversations that nobody writes in any more. Returns those. */
export async function tidy(
  store: Store,
  speakers: readonly { kind: Bot["kind"]; speaker: Speaker }[],
  now: Date,
): Promise<string[]> {
  const remembered = new Date(now.getTime() - REMEMBERED_MS);
  await forgetChatEvents(store, remembered);
  await forgetSent(store, remembered);
  const ended: string[] = [];
  for (const each of speakers) ended.push(...(await endExpired(store, each, now)));
  return ended;
}

/** Of an agent in a service, all or the one at `key`. */
export async function endExpired(
  store: Store,
  { kind, speaker: { agent, service }, key }: { kind: Bot["kind"]; speaker: Speaker; key?: string },
  now: Date,
): Promise<string[]> {
  const before = new Date(now.getTime() - service.sessionExpiryMs);
  const expired = await expiredConversations(store, { service: kind, agent, before, ...given({ key }) });
  for (const each of expired) await changeConversation(store, each.key, { endedAt: now.toISOString() });
  return expired.map((each) => each.key);
}
