import { z } from "zod";
import { oneLine } from "../../util/printable.ts";
import type { Clock } from "../clock.ts";
import type { ChatPerson } from "../connector.ts";
import type { SlackApi } from "./web-api.ts";

const Info = z.object({
  user: z.object({
    name: z.string().nullish(),
    real_name: z.string().nullish(),
    profile: z.object({ display_name: z.string().nullish() }).nullish(),
  }),
});

/** What is told has to be on record within three seconds: names are worth one of them. */
const NAMES_WITHIN_MS = 1_000;
const MOST_NAMES = 10;
const NAME_LIMIT = 80;
const MOST_KNOWN = 5_000;

/** What people are called. Their ids, where Slack does not say. */
export class People {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #known = new Map<string, string>();
  /** What several messages want to know is asked once. */
  readonly #asked = new Map<string, Promise<void>>();

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  person(id: string): ChatPerson {
    return { id, name: this.#known.get(id) ?? id };
  }

  /** Looks up those that are not known, for a moment at most. */
  async names(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const unknown = [...new Set(ids)].filter((id) => !this.#known.has(id)).slice(0, MOST_NAMES);
    if (unknown.length > 0) {
      const waiting = new AbortController();
      const either = AbortSignal.any([signal, waiting.signal]);
      const lookups = Promise.all(unknown.map((id) => this.#asking(id, signal)));
      await Promise.race([lookups, this.#clock.sleep(NAMES_WITHIN_MS, either).catch(() => {})]);
      waiting.abort();
    }
    return this.#known;
  }

  #asking(id: string, signal: AbortSignal): Promise<void> {
    const asking = this.#asked.get(id) ?? this.#lookUp(id, signal).finally(() => this.#asked.delete(id));
    this.#asked.set(id, asking);
    return asking;
  }

  async #lookUp(id: string, signal: AbortSignal): Promise<void> {
    try {
      const { user } = await this.#api.call("users.info", { user: id }, Info, { signal, again: false });
      const name = oneLine(user.profile?.display_name || user.real_name || user.name || "").slice(
        0,
        NAME_LIMIT,
      );
      if (name !== "") this.#know(id, name);
    } catch {
      // A name is worth no message.
    }
  }

  #know(id: string, name: string): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(id, name);
  }
}
