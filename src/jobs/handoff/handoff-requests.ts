import type { ToolAnswer } from "../../handoff/tools.ts";
import type { Conversation } from "../run/conversation.ts";
import { type Leg, NOTHING_YET } from "../run/leg.ts";
import type { WantedHandoff } from "../run/leg-end.ts";
import type { JobAtWork } from "../run/phases.ts";

interface HandoffRequestsOptions extends Pick<JobAtWork, "job" | "append"> {
  conversation: Conversation | undefined;
}

/** What a person or the agent itself asks of the work that is under way. */
export class HandoffRequests {
  readonly #options: HandoffRequestsOptions;
  /** None while the first session begins, and when the last one is over. */
  #leg: Leg | undefined;
  /** Asked for between two sessions: another agent is to have what comes next, or a session that had rested is not back yet. */
  #held: WantedHandoff | undefined;
  #hasBegun = false;

  constructor(options: HandoffRequestsOptions) {
    this.#options = options;
  }

  /** From now on it is this work that is asked. */
  turnTo(leg: Leg | undefined): void {
    this.#leg = leg;
    this.#hasBegun = true;
    const held = this.#held;
    this.#held = undefined;
    if (leg && held) this.request("manual", held.focus, held.to);
  }

  request(by: "manual" | "agent", focus?: string, to?: string): ToolAnswer {
    const wanted = { ...(focus && { focus }), ...(to && { to }) };
    if (to !== undefined && this.#isBetweenSessions) {
      this.#held = wanted;
      return { ok: true, text: `The work goes to ${to} once it has begun again.` };
    }
    if (!this.#hasBegun && this.#options.job().sessions.length > 0) {
      this.#held = wanted;
      return { ok: true, text: "The work is handed over once its session is back." };
    }
    const answer = this.#leg ? this.#answer(this.#leg, by, wanted) : { ok: false, text: NOTHING_YET };
    if (!answer.ok) this.refuse(answer.text);
    return answer;
  }

  /** Nothing comes of it, for a reason that has nothing to do with the work. */
  refuse(message: string): void {
    this.#options.append({ type: "handoff:refused", message });
  }

  get #isBetweenSessions(): boolean {
    return !this.#leg || this.#leg.isEnding || this.#options.job().pendingHandoff !== null;
  }

  #answer(leg: Leg, by: "manual" | "agent", wanted: WantedHandoff): ToolAnswer {
    const { job, conversation } = this.#options;
    if (job().pendingHandoff) return { ok: false, text: "A handoff is being made already" };
    const answer = leg.requestHandoff(by, wanted);
    if (!answer.ok) return answer;
    if (conversation?.isAwaited) conversation.want({ kind: "hand-off", ...wanted });
    return answer;
  }

  /** Takes back a handoff that waits for its boundary. False when there is none. */
  callOff(): boolean {
    if (!this.#leg?.callOff()) return false;
    this.#options.append({ type: "handoff:cancelled", session: this.#leg.live.id, stage: "waiting" });
    return true;
  }

  /** Ends the turn that is running. False when none is. */
  breakOff(): boolean {
    return this.#leg?.breakOff() ?? false;
  }
}
