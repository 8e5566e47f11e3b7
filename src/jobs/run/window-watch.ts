import type { AgentConfig } from "../../config/config.ts";
import { decide, thrash, triggerTokens } from "../../context/policy.ts";
import { turnsLeft } from "../../context/tracker.ts";
import type { JobEvent } from "../../job/events.ts";
import type { Stop } from "./leg-end.ts";
import type { LiveSession } from "./live-session.ts";

interface WindowWatchOptions {
  config: Pick<AgentConfig, "session" | "handoff">;
  append: (event: JobEvent) => void;
}

/** What the figure of a session's window calls for, after each of its responses. */
export class WindowWatch {
  readonly #live: LiveSession;
  readonly #options: WindowWatchOptions;
  readonly #warned: number[] = [];
  #notBefore = 0;

  constructor(live: LiveSession, options: WindowWatchOptions) {
    this.#live = live;
    this.#options = options;
  }

  /** No handoff comes by itself before another twentieth of the window is used. */
  postpone(): void {
    const { tokens, window } = this.#live.context;
    this.#notBefore = tokens + (window?.tokens ?? 0) / 20;
  }

  /** For a session that began from a handoff: whether that left it too little room. */
  thrashing(): Stop | undefined {
    const { context } = this.#live;
    if (context.turns !== 1) return undefined;
    const trigger = triggerTokens(context, this.#policy);
    if (trigger === undefined) return undefined;
    const verdict = thrash({ at: "first-response", tokens: context.tokens, trigger });
    return verdict.thrash ? { kind: "paused", code: "thrash", message: verdict.message } : undefined;
  }

  /** Warns, or says that it is time for a handoff. Neither where the session is stopping already. */
  heard(isStopping: boolean): Stop | undefined {
    const { config } = this.#options;
    const { context } = this.#live;
    const handedOff = isStopping || !config.handoff.enabled || context.tokens < this.#notBefore;
    const decision = decide(context, this.#policy, { handedOff, warned: this.#warned });
    switch (decision.action) {
      case "none":
        return undefined;
      case "warn":
        this.#warn(decision.level);
        return undefined;
      case "hand-off":
        return { kind: "hand-off", trigger: decision.trigger };
    }
  }

  get #policy() {
    const { session, handoff } = this.#options.config;
    return { threshold: session.threshold, warnAt: handoff.notifyUserAt };
  }

  #warn(level: number): void {
    this.#warned.push(level);
    const left = turnsLeft(this.#live.context);
    this.#options.append({
      type: "context:warning",
      session: this.#live.id,
      level,
      context: this.#live.figures,
      ...(left !== undefined && { turnsLeft: left }),
    });
  }
}
