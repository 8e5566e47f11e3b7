import { checkpoint } from "./checkpoints.ts";
import { NoHookError } from "./control.ts";
import type { HandoffFrom, Passed, Passing } from "./handoffs.ts";
import type { Leg } from "./leg.ts";
import type { LiveSession } from "./live-session.ts";
import type { JobContext } from "./running-job.ts";

type FromLive = HandoffFrom & { live: LiveSession; leg: Leg };

/** A full window is first of all the business of the user's hooks, where there are any. In doubt the handoff is Baton's own. */
export class FullWindow {
  readonly #context: JobContext;
  readonly #passing: Passing;
  /** Makes the built-in handoff while hooks decide. */
  #handOffNow: (() => Promise<void>) | undefined;

  constructor(context: JobContext, passing: Passing) {
    this.#context = context;
    this.#passing = passing;
  }

  /** For `baton internal handoff`, which a hook calls while it decides. */
  handOffNow(): Promise<void> {
    return this.#handOffNow?.() ?? Promise.reject(new NoHookError());
  }

  async handOff(from: FromLive): Promise<Passed> {
    const { sessions, append } = this.#context;
    const passing = this.#passing;
    if (from.trigger !== "threshold" && from.trigger !== "forecast") return passing.handOff(from);
    const decided = await this.#askHooks(from);
    if (decided === undefined) return passing.handOff(from);
    if (decided.made) return passing.proceed(from, decided.made);
    switch (decided.decision) {
      case "built-in":
        if (decided.fellBack) {
          append({ type: "warning", message: `Baton hands off itself: ${decided.fellBack}` });
        }
        return passing.handOff(from);
      case "continue":
        return { leg: await passing.spare(from.leg, from.waits) };
      case "stop":
        await checkpoint(this.#context, "paused");
        await sessions.end(from.live, "handoff");
        return { pause: { code: "hook", message: "A hook of on_context_threshold stopped the job." } };
      case "abort":
      case "handoff-done": {
        const { answers: _nobody, ...without } = from;
        const why = "the hooks of on_context_threshold stand in place of the session's account";
        return passing.handOff({ ...without, byHook: true, why });
      }
    }
  }

  async #askHooks(from: FromLive) {
    const { hooks, signal } = this.#context;
    const { live } = from;
    let made: ReturnType<Passing["make"]> | undefined;
    this.#handOffNow = async () => {
      made ??= this.#passing.make(from);
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
