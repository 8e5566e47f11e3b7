import { checkpoint } from "../run/checkpoints.ts";
import { NoHookError } from "../run/control.ts";
import type { JobAtWork } from "../run/phases.ts";
import type { FromWork } from "./handoff-from.ts";
import type { Handoffs, Passed } from "./handoffs.ts";

type Deciding = Pick<JobAtWork, "sessions" | "hooks" | "append" | "signal" | "job" | "cwd" | "redact">;

/** A full window is first of all the business of the user's hooks, where there are any. In doubt the handoff is Baton's own. */
export class FullWindow {
  readonly #work: Deciding;
  readonly #handoffs: Handoffs;
  /** Makes the built-in handoff while hooks decide. */
  #handOffNow: (() => Promise<void>) | undefined;

  constructor(work: Deciding, handoffs: Handoffs) {
    this.#work = work;
    this.#handoffs = handoffs;
  }

  /** For `baton internal handoff`, which a hook calls while it decides. */
  handOffNow(): Promise<void> {
    return this.#handOffNow?.() ?? Promise.reject(new NoHookError());
  }

  async handOff(from: FromWork): Promise<Passed> {
    const { sessions, append } = this.#work;
    const handoffs = this.#handoffs;
    if (from.trigger !== "threshold" && from.trigger !== "forecast") return handoffs.handOff(from);
    const decided = await this.#askHooks(from);
    if (decided === undefined) return handoffs.handOff(from);
    if (decided.made) return handoffs.proceed(from, decided.made);
    switch (decided.decision) {
      case "built-in":
        if (decided.fellBack) {
          append({ type: "warning", message: `Baton hands off itself: ${decided.fellBack}` });
        }
        return handoffs.handOff(from);
      case "continue":
        return { leg: await handoffs.spare(from.leg, from.waits) };
      case "stop":
        await checkpoint(this.#work, "paused");
        await sessions.end(from.leg.live, "handoff");
        return { pause: { code: "hook", message: "A hook of on_context_threshold stopped the job." } };
      case "abort":
      case "handoff-done":
        return handoffs.handOff({
          kind: "by-hook",
          leg: from.leg,
          trigger: from.trigger,
          waits: from.waits,
        });
    }
  }

  async #askHooks(from: FromWork) {
    const { hooks, signal } = this.#work;
    const { live } = from.leg;
    let made: ReturnType<Handoffs["make"]> | undefined;
    this.#handOffNow = async () => {
      made ??= this.#handoffs.make(from);
      await made;
    };
    try {
      const decided = await hooks.threshold(live.id, live.figures, signal);
      signal.throwIfAborted();
      return decided && { ...decided, made: await made };
    } finally {
      this.#handOffNow = undefined;
    }
  }
}
