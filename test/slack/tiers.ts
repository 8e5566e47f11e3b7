import type { Clock } from "../../src/connectors/clock.ts";

const MINUTE_MS = 60_000;
const [TIER_2, TIER_3, TIER_4] = [20, 50, 100];

/** So many calls a minute, over all channels. */
const METHODS: Record<string, number> = {
  "apps.connections.open": 1_000,
  "chat.startStream": TIER_2,
  "chat.stopStream": TIER_2,
  "chat.appendStream": TIER_4,
  "users.info": TIER_4,
  "auth.test": 1_000,
  "files.getUploadURLExternal": TIER_4,
  "files.completeUploadExternal": TIER_4,
  "files.info": TIER_4,
};
/** One a second in each channel, over a minute. */
const POSTS = 60;

/** What Slack allows of each method in the minute before, by its own clock. */
export class Tiers {
  readonly #clock: Clock;
  readonly #calls = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a call. In how many seconds it may be made, where that is too many. */
  refused(method: string, channel: unknown): number | undefined {
    const isPost = method === "chat.postMessage";
    const most = isPost ? POSTS : (METHODS[method] ?? TIER_3);
    const key = isPost ? `${method} ${channel}` : method;
    const now = this.#clock.now();
    const calls = (this.#calls.get(key) ?? []).filter((at) => at > now - MINUTE_MS);
    this.#calls.set(key, calls);
    const [oldest] = calls;
    if (calls.length >= most && oldest !== undefined) return Math.ceil((oldest + MINUTE_MS - now) / 1_000);
    calls.push(now);
    return undefined;
  }
}
