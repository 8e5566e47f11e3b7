import type { WorkSourceConfig } from "../../config/work-source.ts";
import type { ItemWait, KnownItem } from "../../sources/choose.ts";
import { LeftItems } from "../../sources/claims/left-items.ts";
import { type ApiBudget, type Item, type Source, SourceError } from "../../sources/source.ts";
import { isTaken, type WorkItemRow } from "../../store/work-items.ts";
import { messageOf } from "../../util/errors.ts";
import { MINUTE_MS } from "../../util/time.ts";

/** However often in a row it fails, it is tried again after so long. */
export const LONGEST_REST_MS = 15 * MINUTE_MS;
const POLL_LIMIT_MS = 2 * MINUTE_MS;

/** How it went, for people. */
export interface FeedState {
  polledAt: Date | undefined;
  nextAt: Date;
  budget: ApiBudget | undefined;
  problem: { why: string; since: Date } | undefined;
}

/** A tracker that is asked again and again what there is to do. One that fails keeps no other from its turn. */
export class Feed {
  readonly source: Source;
  readonly config: WorkSourceConfig;
  /** As they were last read. Undefined before the first time. */
  items: Item[] | undefined;
  state: FeedState;
  readonly left = new LeftItems();
  /** Why items could not be taken, as long as they do not change. */
  readonly #refused = new Map<string, { updatedAt: string; why: ItemWait; until: number }>();
  /** How often in a row items could not be taken. */
  readonly #troubles = new Map<string, number>();
  #polling: Promise<void> | undefined;
  #failures = 0;

  constructor(source: Source, config: WorkSourceConfig, now: Date) {
    this.source = source;
    this.config = config;
    this.state = { polledAt: undefined, nextAt: now, budget: undefined, problem: undefined };
  }

  isDue(now: Date): boolean {
    return this.#polling === undefined && now >= this.state.nextAt;
  }

  /** Somebody knows that there is something new. A tracker that asked to be left alone is. */
  hurry(now: Date): void {
    if (this.state.problem === undefined && this.state.nextAt > now) this.state.nextAt = now;
  }

  /** Never rejects. */
  poll(signal: AbortSignal, now: () => Date): Promise<void> {
    this.#polling ??= this.#poll(signal, now).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(signal: AbortSignal, now: () => Date): Promise<void> {
    const { pollMs } = this.config;
    try {
      const polled = await this.source.poll(AbortSignal.any([signal, AbortSignal.timeout(POLL_LIMIT_MS)]));
      if (polled.kind === "items") this.items = polled.items;
      this.items ??= [];
      this.#failures = 0;
      const at = now();
      this.state = {
        polledAt: at,
        nextAt: new Date(at.getTime() + pollMs),
        budget: polled.budget,
        problem: undefined,
      };
    } catch (error) {
      if (signal.aborted) return;
      this.failed(error, now());
    }
  }

  /** Whatever was asked of it: it is left alone for a while. */
  failed(error: unknown, now: Date): void {
    const wait = Math.min(LONGEST_REST_MS, this.config.pollMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 20);
    const asked = error instanceof SourceError ? error.retryAt : undefined;
    const nextAt = new Date(Math.max(now.getTime() + wait, asked?.getTime() ?? 0));
    const since = this.state.problem?.since ?? now;
    this.state = { ...this.state, nextAt, problem: { why: messageOf(error), since } };
  }

  /** Something went wrong with an item: others have their turn before it is tried again. */
  troubled(item: Pick<Item, "id" | "updatedAt">, error: unknown, now: Date): void {
    const times = (this.#troubles.get(item.id) ?? 0) + 1;
    this.#troubles.set(item.id, times);
    const text = `it could not be taken, and is tried again: ${messageOf(error)}`;
    const forMs = Math.min(LONGEST_REST_MS, this.config.pollMs * 2 ** times);
    this.refuse(item, { code: "trouble", text }, now, forMs);
    this.failed(error, now);
  }

  taken({ id }: Pick<Item, "id">): void {
    this.#troubles.delete(id);
  }

  /** It is not tried again until it changes; `forMs`: or so long has passed. */
  refuse(
    item: Pick<Item, "id" | "updatedAt">,
    why: ItemWait,
    now: Date,
    forMs = Number.POSITIVE_INFINITY,
  ): void {
    this.left.forget(item.id);
    this.#refused.set(item.id, { updatedAt: item.updatedAt, why, until: now.getTime() + forMs });
  }

  /** Those that look as if somebody works on them. */
  get looksTaken(): Item[] {
    return (this.items ?? []).filter((item) => item.isOpen && !item.isReady && item.isMarkedTaken);
  }

  /** What is known here of an item. `row`: of the store. */
  known(item: Item, row: WorkItemRow | undefined, now: Date): KnownItem {
    const { state = "free", job = null, ignoredAt = null } = row ?? {};
    const refused = this.#refusal(item, now);
    const whose = row && isTaken(row) ? undefined : this.left.whose(item.id);
    return { state, job, ignoredAt, ...(refused && { refused }), ...(whose && { whose }) };
  }

  #refusal({ id, updatedAt }: Pick<Item, "id" | "updatedAt">, now: Date): ItemWait | undefined {
    const known = this.#refused.get(id);
    if (!known) return undefined;
    if (known.updatedAt === updatedAt && now.getTime() < known.until) return known.why;
    this.#refused.delete(id);
    return undefined;
  }

  /** Nothing is asked of it any more. */
  async end(): Promise<void> {
    await this.#polling;
  }
}
