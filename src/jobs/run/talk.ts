import { endedBefore, withMessage } from "../../handoff/continuation.ts";
import { handoffComplete } from "../handoff/handoffs.ts";
import { JobCancelled } from "../reasons.ts";
import type { Conversation } from "./conversation.ts";
import type { Leg } from "./leg.ts";
import { isOwnLimit, type LegEnd, type WantedHandoff } from "./leg-end.ts";
import type { LiveSession } from "./live-session.ts";
import type { JobAtWork } from "./phases.ts";

/** A person ended the turn. */
export const INTERRUPTED = "Interrupted.";

/** What follows when a person was waited for: their session is at work again, or hands off, or they have ended the job. */
type Heard =
  | { kind: "at-work"; leg: Leg }
  | ({ kind: "hand-off"; leg: Leg; trigger: "manual" } & WantedHandoff)
  | { kind: "rest"; leg: Leg }
  | { kind: "end"; leg: Leg };

type Talking = Pick<
  JobAtWork,
  "sessions" | "facts" | "messages" | "job" | "append" | "record" | "redact" | "signal" | "newLeg"
>;

/** The part of a job in which a person decides what comes next. */
export class Talk {
  readonly #current: () => Talking;
  readonly #conversation: Conversation;
  /** Sessions whose program has ended. They are resumed when there is something to tell them. */
  readonly #gone = new WeakSet<Leg>();
  /** The last turn came to no good end, so a job that ends now is not complete. */
  #isUnfinished = false;

  /** `work`: with whichever agent runs it. */
  constructor(work: () => Talking, conversation: Conversation) {
    this.#current = work;
    this.#conversation = conversation;
  }

  get isAway(): boolean {
    return this.#conversation.isAway;
  }

  get #work(): Talking {
    return this.#current();
  }

  /** True when it is the person who decides what follows the end of this work. They are told why it ended. */
  takesOver(leg: Leg, end: LegEnd): boolean {
    const { append } = this.#work;
    switch (end.kind) {
      case "completed":
        this.#isUnfinished = false;
        return true;
      case "hand-off":
      case "message":
      case "overflow":
        return false;
      case "paused":
        if (isOwnLimit(end.code) || end.code === "asking" || end.code === "ask_timeout") return false;
        break;
      case "trouble":
        if (!end.alive) this.#gone.add(leg);
        break;
      case "limited":
      case "no-access":
      case "failed":
    }
    this.#isUnfinished = true;
    append({ type: "warning", message: leg.isBrokenOff ? INTERRUPTED : withReset(end), about: "turn" });
    if (leg.handoffDue) {
      const message = "the turn ended before its next boundary. Ask again when the session answers";
      append({ type: "handoff:failed", session: leg.live.id, message });
    }
    return true;
  }

  /** Something may have been sent to the job from elsewhere. */
  lookForMessages(): void {
    if (this.#conversation.isAwaited && this.#work.messages.isDue("end"))
      this.#conversation.want({ kind: "messages" });
  }

  async listen(leg: Leg): Promise<Heard> {
    leg.settle();
    const told = await this.#tellSent(leg);
    if (told) return { kind: "at-work", leg: told };
    this.#work.append({ type: "person:awaited", session: leg.live.id });
    const wish = await this.#conversation.next((call) => this.#overhear(leg, call));
    if (wish === undefined) {
      leg.stopWaiting();
      return { kind: "at-work", leg };
    }
    switch (wish.kind) {
      case "message":
        return { kind: "at-work", leg: await this.#tell(leg, wish.text) };
      case "messages":
        return this.listen(leg);
      case "hand-off": {
        const alive = this.#gone.has(leg) ? await this.#revive(leg) : leg;
        return { ...wish, leg: alive, trigger: "manual" };
      }
      case "rest":
        return { kind: "rest", leg };
      case "end":
        if (this.#isUnfinished) throw new JobCancelled("in the chat");
        return { kind: "end", leg };
    }
  }

  /** A session can begin to work by itself while it waits, as when something in the background ends. */
  async #overhear(leg: Leg, call: AbortSignal): Promise<boolean> {
    const { signal } = this.#work;
    const either = AbortSignal.any([signal, call]);
    try {
      if (this.#gone.has(leg)) await aborted(either);
      const event = await leg.live.next(Number.POSITIVE_INFINITY, either);
      if (event?.type === "exit") this.#gone.add(leg);
      return leg.live.quiet === "busy";
    } catch (error) {
      signal.throwIfAborted();
      if (call.aborted) return false;
      throw error;
    }
  }

  async #tell(leg: Leg, text: string): Promise<Leg> {
    const told = this.#gone.has(leg) ? await this.#revive(leg) : leg;
    return this.#say(leg, told, [{ text }]);
  }

  /** What was sent to the job from elsewhere. Undefined where nothing was. */
  async #tellSent(leg: Leg): Promise<Leg | undefined> {
    const { messages } = this.#work;
    await messages.look();
    if (!messages.isDue("end")) return undefined;
    const told = this.#gone.has(leg) ? await this.#revive(leg) : leg;
    const sent = await messages.take("end", told.live.id);
    return sent.length > 0 ? this.#say(leg, told, sent) : undefined;
  }

  async #say(leg: Leg, told: Leg, said: readonly { text: string; id?: number }[]): Promise<Leg> {
    const { facts, record, redact } = this.#work;
    const session = told.live.id;
    const unheard = [...new Set([leg.unheard, told.unheard])].filter((each) => each !== undefined);
    for (const { kind, text } of unheard) await record({ type: "message:sent", session, kind, text });
    for (const { text, id: queued } of said) {
      facts.add({ type: "user", text: redact(text) });
      const number = queued === undefined ? {} : { queued };
      await record({ type: "message:sent", session, kind: "said", text, ...number });
    }
    const first = unheard.map((each) => each.text).join("\n\n");
    const text = said.map((each) => each.text).join("\n\n");
    const queued = said.flatMap(({ id }) => id ?? []);
    const message = first ? { text: withMessage(first, text), verbatim: true } : { text, verbatim: false };
    told.live.send(message, queued);
    told.stopWaiting();
    return told;
  }

  async #revive({ live }: Leg): Promise<Leg> {
    const { sessions, newLeg, job } = this.#work;
    const known = job().sessions.find(({ id }) => id === live.id);
    if (known?.lastMessage === null) return this.#replace(live);
    await sessions.drop(live);
    const { live: again, ended } = await sessions.resume(live.id);
    sessions.begin(again, "resumed");
    const leg = newLeg(again, false);
    if (ended.length > 0) leg.waitForPerson({ kind: "resume", text: endedBefore(ended), verbatim: true });
    return leg;
  }

  /** A session that was told nothing yet leaves nothing that could be resumed. */
  async #replace(live: LiveSession): Promise<Leg> {
    const { sessions, newLeg, job } = this.#work;
    await sessions.end(live, "failed");
    const handoff = job().handoffs.at(-1);
    const again = await sessions.warm();
    sessions.begin(again, "continuation", ...(handoff ? [handoffComplete(job(), handoff, again.id)] : []));
    return newLeg(again, true);
  }
}

function withReset(end: Exclude<LegEnd, { kind: "completed" | "hand-off" | "message" }>): string {
  if (end.kind !== "limited" || end.resetsAt === undefined) return end.message;
  return `${end.message} It resets at ${new Date(end.resetsAt).toLocaleString()}.`;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
