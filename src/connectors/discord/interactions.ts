import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Heard } from "../connector.ts";
import { troubleIn } from "../error.ts";
import { split } from "../split.ts";
import type { Guilds } from "./guilds.ts";
import { type Asked, askedBy, type Interaction, type Own, placeOf } from "./heard.ts";
import { contentOf, MESSAGE_LIMIT, timeOf } from "./message.ts";
import { ANSWERED_ALREADY } from "./refusals.ts";
import { DiscordRefusal, type Rest } from "./rest.ts";

/** How Discord is answered: with words now, with words to come, with nothing to be seen. */
const WORDS = 4;
const WORDS_TO_COME = 5;
const NOTHING = 6;
/** For the one who asked alone. */
const EPHEMERAL = 64;
/** A command that nobody has answered by then was for nobody. */
const UNANSWERED_MS = 10_000;

const Anything = z.unknown();

interface InteractionOptions {
  rest: Rest;
  guilds: Guilds;
  clock: Clock;
  /** Whether a command gets an answer of its own; another one is a wish, and its answer comes as a message. */
  isAnswered: (name: string) => boolean;
  heard: (event: Heard) => Promise<void>;
  tell: (news: string) => void;
}

/** Presses and slash commands. Discord wants to hear of each within three seconds, and does as soon as it is on record. */
export class Interactions {
  readonly #options: InteractionOptions;

  constructor(options: InteractionOptions) {
    this.#options = options;
  }

  async told(data: unknown, own: Own, signal: AbortSignal): Promise<void> {
    const asked = askedBy(data);
    const channel = asked && (await this.#channelOf(asked.interaction, signal));
    if (!channel) return;
    const { heard, tell, clock } = this.#options;
    const { interaction, by } = asked;
    const place = placeOf(channel, interaction.guild_id ?? undefined);
    const at = new Date(timeOf(interaction.id)).toISOString();
    const of = { id: `${place.key}:${asked.kind}:${interaction.id}`, place, by, at };
    const acknowledged = Promise.withResolvers<void>();
    acknowledged.promise.catch(() => {});
    const answered = new AbortController();
    /** What is said comes after Discord knows that something will. */
    const answer = async (text: string) => {
      answered.abort();
      await acknowledged.promise;
      await this.#say(asked, own, text, signal);
    };
    try {
      if (asked.kind === "pressed") await heard({ kind: "pressed", ...of, button: asked.button, answer });
      else await heard({ kind: "command", ...of, name: asked.name, text: asked.text, answer });
      await this.#acknowledge(asked, signal);
      acknowledged.resolve();
    } catch (error) {
      // What is to be said is posted as a message instead.
      acknowledged.reject(error);
      tell(`Somebody in Discord sees no answer to what they pressed or asked: ${troubleIn(error)}`);
      return;
    }
    if (asked.kind === "pressed" || !this.#options.isAnswered(asked.name)) return;
    clock
      .sleep(UNANSWERED_MS, AbortSignal.any([signal, answered.signal]))
      .then(() => this.#say(asked, own, "_I do not answer here._", signal))
      .catch(() => {});
  }

  async #channelOf({ channel, channel_id: id, guild_id: guild }: Interaction, signal: AbortSignal) {
    if (!guild) return { id, type: 1 };
    const known = await this.#options.guilds.channel(id, signal);
    return known ?? channel ?? undefined;
  }

  async #acknowledge(asked: Asked, signal: AbortSignal): Promise<void> {
    const { id, token } = asked.interaction;
    try {
      await this.#options.rest.call("POST", `/interactions/${id}/${token}/callback`, Anything, {
        signal,
        tries: 2,
        body: () => this.#first(asked),
      });
    } catch (error) {
      // An earlier try had arrived.
      if (!(error instanceof DiscordRefusal && error.code === ANSWERED_ALREADY)) throw error;
    }
  }

  #first(asked: Asked): object {
    if (asked.kind === "pressed") return { type: NOTHING };
    if (this.#options.isAnswered(asked.name)) return { type: WORDS_TO_COME, data: { flags: EPHEMERAL } };
    const words = split(`/${asked.name} ${asked.text}`, MESSAGE_LIMIT)[0] ?? "";
    return { type: WORDS, data: contentOf({ text: words }) };
  }

  /** To the one who asked, and to nobody else. */
  async #say(asked: Asked, own: Own, text: string, signal: AbortSignal): Promise<void> {
    const content = contentOf({ text: split(text, MESSAGE_LIMIT)[0] ?? "" });
    const webhook = `/webhooks/${own.application}/${asked.interaction.token}`;
    const isToCome = asked.kind === "command" && this.#options.isAnswered(asked.name);
    if (isToCome) {
      const body = () => content;
      await this.#options.rest.call("PATCH", `${webhook}/messages/@original`, Anything, { signal, body });
    } else {
      const body = () => ({ ...content, flags: EPHEMERAL });
      // It has no nonce: said twice is worse than not at all.
      await this.#options.rest.call("POST", webhook, Anything, { signal, body, tries: 1 });
    }
  }
}
