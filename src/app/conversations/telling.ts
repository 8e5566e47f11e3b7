import type { ChatOutput } from "../../config/chat-config.ts";
import type { Connector, Said } from "../../connectors/connector.ts";
import { UndeliveredError } from "../../connectors/error.ts";
import { asMessages } from "../../connectors/split.ts";
import type { JournalEvent } from "../../job/events.ts";
import {
  behindConversations,
  type Conversation,
  changeConversation,
  conversationAt,
  type LiveMessage,
  liveOver,
} from "../../store/conversations/conversations.ts";
import { forgetLongTexts, longTextsOf } from "../../store/conversations/long-texts.ts";
import {
  type Outgoing,
  putInOutbox,
  refOf,
  refsIn,
  unsentIn,
  wasSent,
} from "../../store/conversations/outbox.ts";
import { readEvents } from "../../store/events.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { DAY_MS } from "../../util/time.ts";
import type { Attending } from "./attending.ts";
import { cost } from "./commands.ts";
import { newNonce } from "./status-message.ts";
import { CUT_OFF, type Utterance, type Words, wordsOf } from "./words.ts";

/** Through whom a conversation is spoken to. */
export interface Voice {
  connector: Connector;
  output: ChatOutput;
}

/** Where something is said, and by whom. */
export type Spoken = Pick<Conversation, "key" | "place" | "service" | "agent">;

interface Options {
  store: Store;
  /** Undefined where this process does not have the connection, or the agent speaks there no more. */
  voiceOf: (conversation: Spoken) => Voice | undefined;
  attending: (key: string) => Attending | undefined;
  /** Something was said, of which no word is told. */
  said: (conversation: Spoken) => void;
  trouble: (conversation: Spoken, why: string) => void;
  signal: AbortSignal;
}

/** Of what nobody can explain. What a service may take later waits for it. */
const MOST_TRIES = 12;
const KEPT_MS = 7 * DAY_MS;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 60_000;

/**
 * Tells people what happens in the jobs of one project: from the journals into the outbox, each event once, and from there to the
 * services, in order within a conversation. Whatever is cut off in between, the next look continues.
 */
export class Telling {
  readonly #options: Options;
  readonly #began = Date.now();
  readonly #sending = new Set<string>();
  readonly #failed = new Map<number, { tries: number; until: number }>();
  #looking: Promise<void> | undefined;
  #again = false;
  readonly #running = new Set<Promise<void>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Looks for what is to be told, and begins to tell it. */
  async look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    if (!this.#again) return;
    this.#again = false;
    await this.look();
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || this.#looking) {
      await Promise.all([...this.#running, this.#looking]);
    }
  }

  async #look(): Promise<void> {
    const { store, voiceOf } = this.#options;
    for (const conversation of await behindConversations(store)) {
      const voice = voiceOf(conversation);
      if (voice) await this.#write(conversation, voice);
    }
    const next = new Map<string, Outgoing<Utterance>>();
    for (const each of await unsentIn<Utterance>(store)) {
      if (!next.has(each.conversation)) next.set(each.conversation, each);
    }
    for (const each of next.values()) this.#begin(each);
  }

  /** From the journal into the outbox. */
  async #write(conversation: Conversation, { connector, output }: Voice): Promise<void> {
    const { store, attending } = this.#options;
    const { key, job, toldSeq, kind } = conversation;
    if (job === null) return;
    const events = await eventsWhole(store, job, toldSeq);
    const summary = output.resultSummary ? cost(await getJob(store, job)) : undefined;
    const { words, upTo } = wordsOf(events, { kind, output, ...(summary !== undefined && { summary }) });
    const known = attending(key);
    // Of a process that is gone: what it showed is the beginning of a text on record, or of one that will never be.
    const left = conversation.live.filter(({ nonce }) => !known?.isOwn(nonce));
    const rows: Row[] = [];
    const used: Pick<LiveMessage, "nonce">[] = [];
    for (const each of words) {
      const live = each.text === undefined ? undefined : ((await known?.liveOf(each.text)) ?? left.shift());
      if (live) used.push(live);
      // Of a job that several listen to, each of them is told.
      const heard = kind === "talk" ? each : { ...each, source: `${each.source}~${key}` };
      rows.push(...rowsOf({ conversation: key, job }, heard, live, connector.limits.message));
    }
    for (const live of left) rows.push(cutOff({ conversation: key, job }, live));
    used.push(...left);
    if (upTo === undefined || (upTo <= toldSeq && rows.length === 0)) return;
    const now = new Date();
    await store.db.transaction().execute(async (db) => {
      await changeConversation(store, key, { toldSeq: Math.max(toldSeq, upTo) }, db);
      const places = new Map<string, string | undefined>();
      for (const { nonce } of used) places.set(nonce, (await liveOver(store, key, nonce, db))?.ref);
      for (const row of rows)
        await putInOutbox(store, { ...row, ref: places.get(row.nonce) ?? null }, now, db);
      await forgetLongTexts(db, job);
    });
  }

  #begin(outgoing: Outgoing<Utterance>): void {
    const { conversation: key, id } = outgoing;
    if (this.#sending.has(key) || (this.#failed.get(id)?.until ?? 0) > performance.now()) return;
    this.#sending.add(key);
    const sent = this.#send(outgoing).finally(() => {
      this.#sending.delete(key);
      this.#running.delete(sent);
    });
    this.#running.add(sent);
  }

  async #send(outgoing: Outgoing<Utterance>): Promise<void> {
    const { store, voiceOf, signal, trouble, said } = this.#options;
    const { id, conversation: key, said: utterance } = outgoing;
    const { to } = utterance;
    const conversation = (await conversationAt(store, key)) ?? (to && { key, ...to });
    if (!conversation) return wasSent(store, id, null, new Date());
    const voice = voiceOf(conversation);
    if (!voice || signal.aborted) return;
    try {
      const ref = await this.#say(conversation, voice.connector, outgoing);
      await wasSent(store, id, ref, new Date());
      this.#failed.delete(id);
      said(conversation);
      void this.look().catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      const tries = (this.#failed.get(id)?.tries ?? 0) + 1;
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
      this.#failed.set(id, { tries, until: performance.now() + delay });
      if (tries === 1)
        trouble(conversation, `A message could not be posted, and is tried again: ${messageOf(error)}`);
      if (error instanceof UndeliveredError ? mayWait(error, outgoing) : tries < MOST_TRIES) return;
      trouble(conversation, `A message could not be posted, and was given up: ${messageOf(error)}`);
      this.#failed.delete(id);
      await wasSent(store, id, null, new Date());
    }
  }

  /** What this process sends at once was never sent before. */
  async #tried({ id, conversation, at }: Outgoing<unknown>): Promise<Pick<Said, "tried">> {
    if (!this.#failed.has(id) && Date.parse(at) >= this.#began) return {};
    return { tried: { since: at, others: await refsIn(this.#options.store, conversation, MOST_OTHERS) } };
  }

  async #say(
    { place, key }: Spoken,
    connector: Connector,
    outgoing: Outgoing<Utterance>,
  ): Promise<string | null> {
    const { nonce, said, isLive, ref: recorded } = outgoing;
    const { store, attending, signal } = this.#options;
    const { edits, adds, text, buttons, file } = said;
    if (edits !== undefined) {
      const ref = await refOf(store, edits);
      if (ref !== undefined) await connector.edit(place, ref, { text, ...(buttons && { buttons }) }, signal);
      return ref ?? null;
    }
    if (isLive) {
      const live = attending(key)?.takeLive(nonce);
      live?.show(text);
      const shown = await live?.close();
      if (shown !== undefined) return shown;
      const left = { nonce, ...(recorded !== null && { ref: recorded }), ...(adds && { addition: text }) };
      const settled = await connector.settle(place, left, signal);
      if (adds) return settled ?? null;
      if (settled !== undefined) {
        await connector.edit(place, settled, { text }, signal);
        return settled;
      }
    }
    const ref = await connector.post(
      place,
      { nonce, text, ...(buttons && { buttons }), ...(file && { file }), ...(await this.#tried(outgoing)) },
      signal,
    );
    // Of a live message only a part may be there.
    if (isLive) await connector.edit(place, ref, { text }, signal);
    return ref;
  }
}

/** How many of the last messages are told apart from one that may be there already. */
const MOST_OTHERS = 20;

/** A service that cannot be reached, or a token that is out of date, is not for ever. */
function mayWait({ mayPass }: UndeliveredError, { at }: Pick<Outgoing<unknown>, "at">): boolean {
  return mayPass && Date.now() - Date.parse(at) < KEPT_MS;
}

/** With all that the agent wrote, where the journal has only a part of it. */
async function eventsWhole(store: Store, job: string, after: number): Promise<JournalEvent[]> {
  const events = await readEvents(store, job, after);
  const whole = await longTextsOf(store, job, after);
  if (whole.size === 0) return events;
  return events.map((event) =>
    event.type === "text" ? { ...event, text: whole.get(event.seq) ?? event.text } : event,
  );
}

type Row = Parameters<typeof putInOutbox>[1] & { said: Utterance };
type Whose = Pick<Outgoing<Utterance>, "conversation" | "job">;

function cutOff(of: Whose, { nonce }: Pick<LiveMessage, "nonce">): Row {
  return { ...of, source: `live:${nonce}`, nonce, isLive: true, said: { text: CUT_OFF, adds: true } };
}

/** Within the limit of one message. What shows already as it came becomes the first of them. */
function rowsOf(
  of: Whose,
  { source, said }: Words,
  live: Pick<LiveMessage, "nonce"> | undefined,
  limit: number,
): Row[] {
  const pieces = asMessages(said.text, limit).flatMap(({ text, file }): Utterance[] =>
    live !== undefined && file ? [{ text }, { text: file.name, file }] : [{ text, ...(file && { file }) }],
  );
  return pieces.map((piece, index) => {
    const isLive = index === 0 && live !== undefined;
    const isLast = index === pieces.length - 1;
    return {
      ...of,
      // The one with the buttons is the one that is edited later.
      source: index === (said.buttons ? pieces.length - 1 : 0) ? source : `${source}:${index}`,
      nonce: isLive ? live.nonce : newNonce(),
      said: {
        ...piece,
        ...(said.file && isLast && { file: said.file }),
        ...(said.buttons && isLast && { buttons: said.buttons }),
        ...(said.edits !== undefined && { edits: said.edits }),
      },
      isLive,
    };
  });
}
