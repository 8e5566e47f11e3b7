import { MINUTE_MS } from "../../util/time.ts";
import type { Claims, Look } from "./claims.ts";

/** How long one is left in peace of which the claim does not say how long it lasts, or which nobody has claimed. */
const AGAIN_MS = 10 * MINUTE_MS;

/** Whose an item is that looks taken, as its claim said when it was last looked at. */
type Whose = { kind: "left" } | { kind: "held"; by: string } | { kind: "nobody's" };

/** Items that look as if somebody works on them: whether anybody does, by their claims. Each is looked at when its lease may be over. */
export class LeftItems {
  readonly #known = new Map<string, { whose?: Whose; lookAt: number }>();

  /** Undefined: not looked at yet. */
  whose(item: string): Whose | undefined {
    return this.#known.get(item)?.whose;
  }

  /** It is looked at again the next time. */
  forget(item: string): void {
    this.#known.delete(item);
  }

  /** `items`: all that look taken now. */
  async look(claims: Claims, items: readonly string[], now: Date, signal: AbortSignal): Promise<void> {
    const all = new Set(items);
    for (const item of this.#known.keys()) if (!all.has(item)) this.#known.delete(item);
    const due = items.filter((item) => (this.#known.get(item)?.lookAt ?? 0) <= now.getTime());
    // Whether it could be asked or not.
    for (const item of due)
      this.#known.set(item, { ...this.#known.get(item), lookAt: now.getTime() + MINUTE_MS });
    for (const [item, look] of await claims.look(due, signal)) {
      this.#known.set(item, { whose: whoseIs(look), lookAt: now.getTime() + againIn(look, now) });
    }
  }
}

function whoseIs(look: Look): Whose {
  if (look.kind === "held") return { kind: "held", by: look.by };
  // Without a claim, or with one that was ended, somebody set the label by hand.
  return look.kind === "free" && look.abandoned ? { kind: "left" } : { kind: "nobody's" };
}

/** By the clock of this machine, which only says when to ask. */
function againIn(look: Look, now: Date): number {
  const until = look.kind === "held" ? look.until : undefined;
  if (!until) return look.kind === "held" ? MINUTE_MS : AGAIN_MS;
  return Math.min(AGAIN_MS, Math.max(MINUTE_MS, until.getTime() - now.getTime()));
}
