import type { ThresholdTrigger } from "../../hooks/payload.ts";
import { checkpoint } from "../run/checkpoints.ts";
import { NoHookError } from "../run/control.ts";
import type { JobAtWork } from "../run/phases.ts";
import type { FromWork } from "./handoff-from.ts";
import type { Handoffs, Passed } from "./handoffs.ts";

type Deciding = Pick<
  JobAtWork,
  "crew" | "sessions" | "hooks" | "append" | "signal" | "job" | "cwd" | "config" | "redact"
>;

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
    const { sessions, append, config } = this.#work;
    const handoffs = this.#handoffs;
    const { trigger } = from;
    // The agent's own wish is no question.
    if (trigger === "agent") return handoffs.handOff(from);
    const decided = await this.#askHooks(from, trigger);
    if (decided === undefined) return handoffs.handOff(from);
    if (decided.made) return handoffs.proceed(from, decided.made);
    const isAsked = trigger === "manual";
    switch (decided.decision) {
      case "built-in":
        if (!config.handoff.enabled && !isAsked) {
          append({
            type: "warning",
            message: `The session continues: ${decided.fellBack ?? "no hook decided"}`,
          });
          return this.#workOn(from);
        }
        if (decided.fellBack) {
          append({ type: "warning", message: `Baton hands off itself: ${decided.fellBack}` });
        }
        return handoffs.handOff(from);
      case "continue":
        return isAsked ? handoffs.handOff(from) : this.#untilCompaction(from);
      case "stop":
        await checkpoint(this.#work, "paused");
        await sessions.end(from.leg.live, "handoff");
        return { pause: { code: "hook", message: "A hook of on_context_threshold stopped the job." } };
      case "handoff-done":
        // Who asks for a handoff wants an account, and who has switched handoffs off wants none.
        if (isAsked) return handoffs.handOff(from);
        if (!config.handoff.enabled) return this.#workOn(from);
        return handoffs.handOff({ kind: "by-hook", leg: from.leg, trigger, waits: from.waits });
      case "abort":
        return handoffs.handOff({ kind: "by-hook", leg: from.leg, trigger, waits: from.waits });
    }
  }

  /** The session works on until its program compacts the window; or else a handoff is all that is left before it overflows. */
  async #untilCompaction(from: FromWork): Promise<Passed> {
    if (await from.leg.live.letCompact()) return this.#workOn(from);
    const message = "Baton hands off itself: the agent's program cannot be told to compact its window.";
    this.#work.append({ type: "warning", message });
    return this.#handoffs.handOff(from);
  }

  async #workOn({ leg, waits }: FromWork): Promise<Passed> {
    return {
      leg: await this.#handoffs.spare(leg, { waits, hasHeard: false }),
      work: this.#work.crew.current(),
    };
  }

  async #askHooks(from: FromWork, trigger: ThresholdTrigger) {
    const { hooks, signal } = this.#work;
    const { live } = from.leg;
    let made: ReturnType<Handoffs["make"]> | undefined;
    this.#handOffNow = async () => {
      made ??= this.#handoffs.make(from);
      await made;
    };
    try {
      const decided = await hooks.threshold({ session: live.id, context: live.figures, trigger }, signal);
      signal.throwIfAborted();
      return decided && { ...decided, made: await made };
    } finally {
      this.#handOffNow = undefined;
    }
  }
}
