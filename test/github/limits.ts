import { Refusal } from "./refusal.ts";

interface Window {
  used: number;
  resetsAt: number;
  content: number[];
}

interface Allowed {
  /** Requests an hour. */
  limit: number;
  contentPerMinute: number;
  now: () => Date;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** What each account may still ask. */
export class Limits {
  readonly #allowed: Allowed;
  readonly #windows = new Map<string, Window>();

  constructor(allowed: Allowed) {
    this.#allowed = allowed;
  }

  remaining(login: string): number {
    return this.#allowed.limit - this.#window(login).used;
  }

  refuseBeyond(login: string): void {
    if (this.remaining(login) <= 0) throw new Refusal(403, `API rate limit exceeded for user ID ${login}.`);
  }

  countContent(login: string): void {
    const window = this.#window(login);
    const at = this.#allowed.now().getTime();
    window.content = window.content.filter((each) => each > at - MINUTE_MS);
    if (window.content.length >= this.#allowed.contentPerMinute) throw secondary();
    window.content.push(at);
  }

  /** The headers of an answer that costs so much. */
  count(login: string, cost: number): Record<string, number | string> {
    const { limit } = this.#allowed;
    const window = this.#window(login);
    window.used = Math.min(limit, window.used + cost);
    return {
      "x-ratelimit-limit": limit,
      "x-ratelimit-remaining": limit - window.used,
      "x-ratelimit-used": window.used,
      "x-ratelimit-reset": Math.ceil(window.resetsAt / 1_000),
      "x-ratelimit-resource": "core",
    };
  }

  #window(login: string): Window {
    const at = this.#allowed.now().getTime();
    const known = this.#windows.get(login);
    if (known && known.resetsAt > at) return known;
    const window = { used: 0, resetsAt: at + HOUR_MS, content: known?.content ?? [] };
    this.#windows.set(login, window);
    return window;
  }
}

export function secondary(): Refusal {
  const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
  const page =
    "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits";
  return new Refusal(403, message, { documentation_url: page }, { "retry-after": "60" });
}
