import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { agreeIn } from "../test/agree.ts";
import { BOT_USER, markdownIn, type StoredMessage } from "../test/slack/workspace.ts";
import { APP_TOKEN, BOT_TOKEN, SlackService } from "../test/slack-service.ts";
import type { ChatUse } from "./chat-process.ts";
import { type Measure, median } from "./measure.ts";
import { MODEL, PERMISSION_MODE } from "./programs.ts";
import { freshProject } from "./project.ts";

const THREADS = 50;
const CHANNELS = 5;
/** Slack allows fifty reactions a minute. */
const APART_MS = 1_300;
const MINUTE_MS = 60_000;
const LIMIT_MS = 1_000;

/** Conversations at rest: first some, then so many more. */
const AT_REST = { before: 100, more: 400, channels: 30, slots: 8 };
const SETTLED_MS = 3_000;

/** What people wait for in a Slack on this machine that has the limits of the real one, and what a conversation at rest keeps in memory. */
export async function measureChat(): Promise<Measure[]> {
  return [...(await measureApart()), ...(await measureAtOnce()), await measureAtRest()];
}

/** One message after the other, each of which begins a thread. */
async function measureApart(): Promise<Measure[]> {
  await using fleet = await talkingFleet({ channels: CHANNELS, slots: THREADS });
  const seen: Promise<Times>[] = [];
  for (let index = 0; index < THREADS; index++) {
    seen.push(fleet.asks(index));
    await sleep(APART_MS);
  }
  const times = await Promise.all(seen);
  const compared = `${THREADS} threads that begin ${APART_MS} ms apart, 95th percentile`;
  return figures("chat", compared, times, { calledTooEarly: fleet.slack.limited });
}

/** In the same moment, in threads that begin and then in the same ones again. */
async function measureAtOnce(): Promise<Measure[]> {
  await using fleet = await talkingFleet({ channels: CHANNELS, slots: THREADS });
  const before = await fleet.use();
  const all = Array.from({ length: THREADS }, (_, index) => index);
  const begun = await Promise.all(all.map((index) => fleet.asks(index)));
  const open = await fleet.use();
  // Slack counts what was allowed over a minute.
  await sleep(MINUTE_MS);
  const again = await Promise.all(begun.map(({ thread }, index) => fleet.asks(THREADS + index, thread)));
  const compared = `${THREADS} messages in one moment, one a thread, 95th percentile`;
  const beginnings = figures("chat-at-once", compared, begun, {})[1]?.detail ?? {};
  return figures("chat-at-once", compared, again, {
    calledTooEarly: fleet.slack.limited,
    beginningAnsweredMs: beginnings.answeredMs ?? Number.NaN,
    kBPerOpenConversation: (open.neededBytes - before.neededBytes) / THREADS / 1_000,
    residentMB: open.residentMB,
  });
}

async function measureAtRest(): Promise<Measure> {
  const { before, more, channels, slots } = AT_REST;
  const quiet = 'output: { assistant_messages: answers, progress_indicator: false, acknowledge_emoji: "" }';
  await using fleet = await talkingFleet({ channels, slots, more: quiet, isLimited: false });
  const talk = async (from: number, count: number) => {
    await Promise.all(Array.from({ length: count }, (_, index) => fleet.asks(from + index)));
    await sleep(SETTLED_MS);
    return fleet.use();
  };
  const few = await talk(0, before);
  const many = await talk(before, more);
  return {
    name: "chat-memory",
    value: (many.neededBytes - few.neededBytes) / more / 1_000,
    unit: "kB",
    detail: {
      compared: `what the fleet's process needs more with ${more} conversations more, all but ${slots} of them at rest`,
      neededMB: many.neededBytes / 1e6,
      residentMB: many.residentMB,
    },
  };
}

/** What was seen of one message, and when. */
interface Times {
  thread: StoredMessage;
  ackMs: number;
  reactionMs: number;
  /** The first words of the bot's, and the last of its answer. */
  wordsMs: number;
  answeredMs: number;
}

function figures(
  name: string,
  compared: string,
  times: readonly Times[],
  more: Measure["detail"],
): Measure[] {
  const of = (what: Exclude<keyof Times, "thread">) => times.map((each) => each[what]);
  const measure = (what: string, key: "ackMs" | "reactionMs", detail: Measure["detail"]): Measure => ({
    ...{ name: `${name}-${what}`, value: percentile(of(key)), unit: "ms", limit: LIMIT_MS },
    detail: { compared: `event to ${what}: ${compared}`, medianMs: median(of(key)), ...detail },
  });
  return [
    measure("ack", "ackMs", {}),
    measure("reaction", "reactionMs", {
      firstWordsMs: percentile(of("wordsMs")),
      answeredMs: percentile(of("answeredMs")),
      ...more,
    }),
  ];
}

function percentile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

interface TalkingFleet extends AsyncDisposable {
  slack: SlackService;
  /** Somebody writes, in a thread or to begin one, and waits for the answer. */
  asks(index: number, thread?: StoredMessage): Promise<Times>;
  use(): Promise<ChatUse>;
}

interface Wanted {
  channels: number;
  slots: number;
  more?: string;
  isLimited?: boolean;
}

/** A fleet in a process of its own, connected to a Slack in this one. */
async function talkingFleet({ channels, slots, more, isLimited = true }: Wanted): Promise<TalkingFleet> {
  const slack = new SlackService({ isLimited });
  const ids = Array.from({ length: channels }, (_, index) => `C00000${index}`);
  for (const id of ids) slack.workspace.channel(id, "channel");
  await slack.listen();
  const project = await freshProject({ url: "http://127.0.0.1:1" }, "", {
    more: () => ({
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_APP_TOKEN: APP_TOKEN,
      SLACK_API_URL: slack.apiUrl,
    }),
  });
  await writeFile(join(project.folder, "baton.yaml"), configOf(ids, slots, more));
  agreeIn(project);
  const script = fileURLToPath(new URL("./chat-process.ts", import.meta.url));
  const child = fork(script, { cwd: project.folder, env: project.env, execArgv: ["--expose-gc"] });
  const ended = once(child, "exit");
  const failed = ended.then(() => Promise.reject(new Error("The fleet has ended.")));
  failed.catch(() => {});
  await Promise.race([slack.when(() => slack.sockets.size === 1), failed]);
  // What was written before it listened it would read first.
  await sleep(SETTLED_MS);
  return {
    slack,
    asks: (index, thread) =>
      Promise.race([asked(slack, ids[index % ids.length] ?? "", `ask-${index}`, thread), failed]),
    async use() {
      const told = once(child, "message");
      child.send("use");
      const [use] = await Promise.race([told, failed]);
      return use;
    },
    async [Symbol.asyncDispose]() {
      await end(child, ended);
      await slack.close();
      await project[Symbol.asyncDispose]();
    },
  };
}

function configOf(channels: readonly string[], slots: number, more: string | undefined): string {
  const list = channels.map((id) => `{ id: ${id} }`).join(", ");
  return `fleet: { max_concurrent: ${slots} }
agents:
  - name: coder
    model: ${MODEL}
    permission_mode: ${PERMISSION_MODE}
    instances: { max_concurrent: ${slots} }
    chat: { slack: { channels: [${list}]${more === undefined ? "" : `, ${more}`} } }
`;
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.connected) child.send("end");
  const late = AbortSignal.timeout(MINUTE_MS);
  await Promise.race([ended, once(late, "abort")]);
  child.kill("SIGKILL");
  await ended;
}

async function asked(
  slack: SlackService,
  channel: string,
  word: string,
  thread: StoredMessage | undefined,
): Promise<Times> {
  const began = performance.now();
  const known = slack.sockets.deliveries.length;
  const message = thread
    ? slack.say(channel, word, { thread: thread.ts })
    : slack.say(channel, `<@${BOT_USER}> ${word}`);
  const deliveries = slack.sockets.deliveries.slice(known);
  const root = thread ?? message;
  const before = new Set(inThread(slack, channel, root));
  const when = async (look: () => boolean) => {
    await slack.when(look);
    return performance.now() - began;
  };
  const isNew = (each: StoredMessage) => !before.has(each);
  const [ackMs, reactionMs, wordsMs, answeredMs] = await Promise.all([
    when(() => deliveries.every(({ isAcked }) => isAcked)),
    when(() => message.reactions.length > 0 || inThread(slack, channel, root).some(isNew)),
    when(() => inThread(slack, channel, root).some(isNew)),
    when(() => isAnswered()),
  ]);
  return { thread: root, ackMs, reactionMs, wordsMs, answeredMs };

  function isAnswered(): boolean {
    return inThread(slack, channel, root).some(
      (each) => isNew(each) && markdownIn(each).endsWith(`: ${word}`),
    );
  }
}

function inThread(slack: SlackService, channel: string, { ts }: StoredMessage): StoredMessage[] {
  return slack.said(channel).filter(({ thread_ts }) => thread_ts === ts);
}
