import { z } from "zod";
import { backoffMs, type Clock } from "../clock.ts";
import type { Place, Said } from "../connector.ts";
import { troubleIn } from "../error.ts";
import type { Own } from "./heard.ts";
import type { OwnStreams } from "./left.ts";
import { contentOf, metadataOf, placeArguments, refOf } from "./message.ts";
import { messagesIn, nonceOf, type ThreadMessage } from "./thread.ts";
import { BrokenAnswer, type SlackApi, SlackRefusal } from "./web-api.ts";

const Posted = z.object({ channel: z.string(), ts: z.string() });

const MOST_TRIES = 6;
/** Threads of which it is known what of ours stands in them. */
const MOST_READ = 1_000;

interface PostOptions {
  api: SlackApi;
  clock: Clock;
  random: () => number;
  own: (signal: AbortSignal) => Promise<Own>;
  /** Nothing of ours stands there yet. */
  isEmpty: (place: Place) => boolean;
  tell: (news: string) => void;
}

/** What of ours stands in a place. */
interface Known {
  byNonce: Map<string, string>;
  /** The last message that was read or posted. */
  last: string | undefined;
}

/** Posts, each once: Slack itself would post the same again. Ours carry their nonces as metadata, by which they are found. */
export class Posts {
  readonly #options: PostOptions;
  readonly #known = new Map<string, Promise<Known>>();

  constructor(options: PostOptions) {
    this.#options = options;
  }

  /** Resolves with its reference, also where an earlier try or an earlier process had posted it. */
  async post(
    place: Place,
    said: Pick<Said, "nonce" | "text" | "buttons">,
    signal: AbortSignal,
  ): Promise<string> {
    const { api, clock, random } = this.#options;
    const content = contentOf(said);
    const known = await this.#knownIn(place, signal);
    for (let tries = 1; ; tries++) {
      const there = known.byNonce.get(said.nonce);
      if (there !== undefined) return refOf(place.channel, there, said.nonce);
      try {
        const { ts } = await api.call(
          "chat.postMessage",
          {
            ...placeArguments(place),
            ...content,
            metadata: metadataOf(said.nonce),
            unfurl_links: false,
            unfurl_media: false,
          },
          Posted,
          { signal, again: false },
        );
        note(known, ts, said.nonce);
        return refOf(place.channel, ts, said.nonce);
      } catch (error) {
        if (!(error instanceof BrokenAnswer) || tries >= MOST_TRIES) throw error;
        await clock.sleep(backoffMs(tries, random), signal);
        await this.#read(place, known, signal);
      }
    }
  }

  /**
   * What an earlier process began to show and left: by where it was, by its nonce, or as the last of ours in the thread that has
   * none, as only what is still being streamed has.
   */
  async left(
    place: Place,
    { nonce, ts }: { nonce: string; ts: string | undefined },
    streams: OwnStreams,
    signal: AbortSignal,
  ): Promise<ThreadMessage | undefined> {
    const { api, own } = this.#options;
    const { user, bot } = await own(signal);
    const found = await messagesIn(api, place, ts, signal);
    await streams.settled(place);
    const ours = found.filter((each) => each.user === user || (bot !== undefined && each.bot_id === bot));
    if (ts !== undefined) return ours.find((each) => each.ts === ts);
    const named = ours.findLast((each) => nonceOf(each) === nonce);
    if (named || place.thread === undefined) return named;
    return ours.findLast((each) => !each.metadata && !each.files && !streams.has(each.ts));
  }

  /** What stands in a place since a message of ours there. */
  async since(place: Place, ts: string, signal: AbortSignal): Promise<ThreadMessage[]> {
    return messagesIn(this.#options.api, place, ts, signal);
  }

  /** The first time, a thread is read: a process before this one may have posted there without hearing so. */
  #knownIn(place: Place, signal: AbortSignal): Promise<Known> {
    const already = this.#known.get(place.key);
    if (already) return already;
    const reading = this.#firstLook(place, signal);
    this.#known.set(place.key, reading);
    reading.catch(() => this.#known.delete(place.key));
    for (const key of this.#known.keys()) {
      if (this.#known.size <= MOST_READ) break;
      this.#known.delete(key);
    }
    return reading;
  }

  async #firstLook(place: Place, signal: AbortSignal): Promise<Known> {
    const known: Known = { byNonce: new Map(), last: undefined };
    if (this.#options.isEmpty(place)) return known;
    try {
      await this.#read(place, known, signal);
    } catch (error) {
      // Better an answer that may come twice after a crash than none.
      if (!(error instanceof SlackRefusal) || error.code !== "missing_scope") throw error;
      this.#options.tell(
        `What Baton said before it ended may be said again: ${troubleIn(error)}. ${error.remedy}`,
      );
    }
    return known;
  }

  async #read(place: Place, known: Known, signal: AbortSignal): Promise<void> {
    const { api, own } = this.#options;
    const { user, bot } = await own(signal);
    for (const message of await messagesIn(api, place, known.last, signal)) {
      const isOurs = message.user === user || (bot !== undefined && message.bot_id === bot);
      // Metadata is anybody's to write.
      note(known, message.ts, isOurs ? nonceOf(message) : undefined);
    }
  }
}

function note(known: Known, ts: string, nonce: string | undefined): void {
  if (nonce !== undefined) known.byNonce.set(nonce, ts);
  if (known.last === undefined || Number(ts) > Number(known.last)) known.last = ts;
}
