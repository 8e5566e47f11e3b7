import type { AgentConfig } from "../../../config/config.ts";
import { decide, decideWarning, SAFE_THRESHOLD, thrash, triggerTokens } from "../../../context/policy.ts";
import { tokensInUse, turnsLeft } from "../../../context/tracker.ts";
import type { JobEvent } from "../../../job/events.ts";
import type { Stop } from "../leg-end.ts";
import type { LiveSession } from "../live-session.ts";

interface WindowWatchOptions {
  config: Pick<AgentConfig, "session" | "handoff" | "hooks">;
  append: (event: JobEvent) => void;
}

/** What the figure of a session's window calls for, after each of its responses. */
export class WindowWatch {
  readonly #live: LiveSession;
  readonly #options: WindowWatchOptions;
  readonly #warned: number[] = [];
  #due: JobEvent | undefined;
  /** Set where the session was spared a handoff: the figure at which it was, and below which none comes by itself. */
  #spared: { at: number; until: number } | undefined;

  constructor(live: LiveSession, options: WindowWatchOptions) {
    this.#live = live;
    this.#options = options;
  }

  /** No handoff comes by itself before another twentieth of the window is used. */
  postpone(): void {
    const { context } = this.#live;
    const at = tokensInUse(context);
    this.#spared = { at, until: at + (context.window?.tokens ?? 0) / 20 };
  }

  /** For a session that began from a handoff: whether that left it too little room. */
  thrashing(): Stop | undefined {
    const { context } = this.#live;
    if (context.turns !== 1) return undefined;
    // Where a handoff only saves money, a full start costs some and leads on all the same.
    const { threshold } = this.#policy;
    const judged = threshold.kind === "economical" ? SAFE_THRESHOLD : threshold;
    const trigger = triggerTokens(context, { threshold: judged });
    if (trigger === undefined) return undefined;
    const verdict = thrash({ at: "first-response", tokens: context.tokens, trigger });
    return verdict.thrash ? { kind: "paused", code: "thrash", message: verdict.message } : undefined;
  }

  /**
   * Warns, or says that it is time for a handoff. Neither where the session is stopping already. The warning waits for `continued`
   * where the work may be over with this response: then there is nothing to warn of.
   */
  heard(isStopping: boolean, mayBeOver: boolean): Stop | undefined {
    if (isStopping) return undefined;
    const { context } = this.#live;
    const warned = this.#warned;
    const decision = this.#isDue()
      ? decide(context, this.#policy, { handedOff: false, warned })
      : decideWarning(context, this.#policy, warned);
    switch (decision.action) {
      case "none":
        return undefined;
      case "warn":
        this.#warn(decision.level);
        if (!mayBeOver) this.continued();
        return undefined;
      case "hand-off":
        return { kind: "hand-off", trigger: decision.trigger };
    }
  }

  /** The work was not over with the last response. */
  continued(): void {
    if (this.#due) this.#options.append(this.#due);
    this.#due = undefined;
  }

  /** Whether a full window is anybody's business here: Baton's, or that of the user's hooks. */
  #isDue(): boolean {
    const { handoff, hooks } = this.#options.config;
    const tokens = tokensInUse(this.#live.context);
    // It has been compacted since, and fills again.
    if (this.#spared && tokens < this.#spared.at) this.#spared = undefined;
    if (!handoff.enabled && hooks.onContextThreshold.length === 0) return false;
    return tokens >= (this.#spared?.until ?? 0);
  }

  get #policy() {
    const { session, handoff } = this.#options.config;
    const { economicalAt } = this.#live;
    return { threshold: session.threshold, economicalAt, warnAt: handoff.notifyUserAt };
  }

  #warn(level: number): void {
    this.#warned.push(level);
    const left = turnsLeft(this.#live.context);
    this.#due = {
      type: "context:warning",
      session: this.#live.id,
      level,
      context: this.#live.figures,
      ...(left !== undefined && { turnsLeft: left }),
    };
  }
}
