import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { OnRecord } from "../connector.ts";
import { troubleIn } from "../error.ts";
import { type SlackApi, SlackRefusal } from "./web-api.ts";

/** What was written just before the last message on record may not be on record itself. */
const MARGIN_S = 10;
const LONGEST_AWAY_S = 24 * 3_600;
const PAGE = 200;
const MOST_PAGES = 5;
const MOST_THREADS = 100;

const Message = z.looseObject({
  ts: z.string(),
  latest_reply: z.string().nullish(),
});
const Page = z.object({
  messages: z.array(Message),
  has_more: z.boolean().optional(),
  response_metadata: z.object({ next_cursor: z.string().optional() }).nullish(),
});

type Written = z.infer<typeof Message>;

interface Options {
  api: SlackApi;
  channels: readonly string[];
  onRecord: () => Promise<OnRecord>;
  clock: Clock;
  /** As if Slack told it. Resolves once it is on record. */
  told: (event: object) => Promise<void>;
  tell: (news: string) => void;
}

/**
 * What was written while nobody listened. Slack tells it again for a few minutes; after that it is only to be read: in channels, in
 * the threads of conversations, and where people write to the bot alone.
 */
export async function catchUp(options: Options, signal: AbortSignal): Promise<void> {
  const { channels, onRecord, clock, tell } = options;
  const { events, direct, threads } = await onRecord();
  const last = Math.max(...events.map(timeOf).filter((time) => time !== undefined));
  // Nothing has ever been heard: nothing is missed.
  if (!Number.isFinite(last)) return;
  const since = Math.max(last - MARGIN_S, clock.now() / 1_000 - LONGEST_AWAY_S).toFixed(6);
  const known = new Map(threads.map((each) => [`${each.channel}:${each.thread}`, each]));
  const read = async (channel: string, thread?: string) => {
    try {
      return await tellAll(options, { channel, since, ...(thread !== undefined && { thread }) }, signal);
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      tell(`What was written meanwhile in ${channel} cannot be read: ${troubleIn(error)}. ${error.remedy}`);
      return [];
    }
  };
  for (const channel of new Set([...channels, ...direct])) {
    for (const { ts, latest_reply: reply } of await read(channel))
      if (reply) known.set(`${channel}:${ts}`, { channel, thread: ts });
  }
  for (const { channel, thread } of [...known.values()].slice(-MOST_THREADS)) await read(channel, thread);
}

async function tellAll(
  { api, told }: Options,
  { channel, thread, since }: { channel: string; thread?: string; since: string },
  signal: AbortSignal,
): Promise<Written[]> {
  const all: Written[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const given = { channel, ts: thread, oldest: since, inclusive: true, limit: PAGE, cursor };
    const method = thread === undefined ? "conversations.history" : "conversations.replies";
    const got = await api.call(method, given, Page, { signal });
    all.push(...got.messages);
    cursor = got.response_metadata?.next_cursor || undefined;
    if (!got.has_more || cursor === undefined) break;
  }
  const written = all.toSorted((a, b) => Number(a.ts) - Number(b.ts));
  for (const message of written) {
    // A thread's first message comes with every page, however old it is.
    if (Number(message.ts) >= Number(since)) await told({ ...message, type: "message", channel });
  }
  return written;
}

/** In seconds, of a message on record. */
function timeOf(id: string): number | undefined {
  const ts = /^slack:slack:[^:]+:[^:]+:(\d+\.\d+)$/.exec(id)?.[1];
  return ts === undefined ? undefined : Number(ts);
}
