import {
  forgetMessages,
  type Hearer,
  messagesTo,
  putBackMessages,
  type QueuedMessage,
  type SentMessage,
  sentMessages,
  stopHearing,
  takeMessages,
} from "../../store/messages.ts";
import type { Moment } from "../../store/tables.ts";
import type { Journal } from "../journal.ts";
import type { Start } from "../run/how-to-begin.ts";
import { notHeard } from "./heard.ts";

/** What a session is to be told. `again`: it stands in the journal as told already. */
export interface ToTell extends QueuedMessage {
  again?: true;
}

/** What people sent to a job, in the hands of its owner: each of it reaches a session once, whatever happens meanwhile. */
export class MessageQueue {
  readonly #journal: Journal;
  readonly #hearer: Hearer;
  #waiting: QueuedMessage[] = [];
  /** Sent to a session that is not known to have them. */
  #sent: SentMessage[] = [];

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#hearer = { store: journal.store, job: journal.job.id, attempt: journal.attempt };
  }

  static async of(journal: Journal): Promise<MessageQueue> {
    const queue = new MessageQueue(journal);
    queue.#sent = await sentMessages(queue.#hearer);
    await queue.look();
    return queue;
  }

  /** Whether something is to be told at such a moment, by the last look. */
  isDue(moment: Moment): boolean {
    return dueAt(this.#waiting, moment).length > 0;
  }

  async look(): Promise<void> {
    this.#waiting = await messagesTo(this.#hearer.store, this.#hearer.job);
  }

  /** What this session is to be told at such a moment. From here on it counts as sent. */
  async take(moment: Moment, session: string): Promise<ToTell[]> {
    await this.look();
    const due = dueAt(this.#waiting, moment);
    if (due.length === 0) return [];
    const ids = due.map(({ id }) => id);
    const taken = await takeMessages(this.#hearer, ids, session);
    this.#waiting = this.#waiting.filter(({ id }) => !ids.includes(id));
    this.#sent.push(...taken.map((message) => ({ ...message, session })));
    return taken;
  }

  /**
   * What became of all that was sent before, when the work begins again like this. What a document tells need not be told;
   * what reached nobody waits again. For a session that is resumed, `unheard` decides.
   */
  async begin(start: Start): Promise<void> {
    if (this.#sent.length === 0) return;
    const recorded = await this.#recorded();
    const isTold = ({ id, session }: SentMessage) => recorded.has(id) && isInDocument(start, session);
    const isResumed = start.mode === "resumed" && !start.handOff;
    const told = this.#sent.filter(isTold);
    const resumed = this.#sent.filter(
      (message) => !told.includes(message) && isResumed && message.session === start.session.id,
    );
    const lost = this.#sent.filter((message) => !told.includes(message) && !resumed.includes(message));
    await this.#forget(told);
    await this.#putBack(lost);
  }

  /** Of what a resumed session was sent, what it has not heard. `transcript`: what stands there as the user's. */
  async unheard(session: string, transcript: readonly string[]): Promise<ToTell[]> {
    const sent = this.#sent.filter((message) => message.session === session);
    if (sent.length === 0) return [];
    const recorded = await this.#recorded();
    const unheard = notHeard(sent, transcript);
    await this.#delivered(session, sent, unheard);
    return unheard.map((message) => (recorded.has(message.id) ? { ...message, again: true } : message));
  }

  /** What stands in the transcript reached the session, though nobody heard it answer. */
  async #delivered(session: string, sent: readonly SentMessage[], unheard: readonly SentMessage[]) {
    const known = new Set((await this.#journal.all("message:delivered")).flatMap(({ queued }) => queued));
    const queued = sent.filter((one) => !unheard.includes(one) && !known.has(one.id)).map(({ id }) => id);
    if (queued.length > 0) this.#journal.append({ type: "message:delivered", session, queued });
  }

  /** From now on this session works: what others were told is in the document that it began with. */
  async turnTo(session: string): Promise<void> {
    await this.#forget(this.#sent.filter((message) => message.session !== session));
  }

  /** Puts what a session was sent and has not heard back to what waits. */
  async putBack(messages: readonly ToTell[]): Promise<void> {
    const ids = messages.map(({ id }) => id);
    await this.#putBack(this.#sent.filter(({ id }) => ids.includes(id)));
  }

  /** The job completes: nobody can send it anything any more. False where something waits, which is to be told first. */
  async close(): Promise<boolean> {
    if (!(await stopHearing(this.#hearer))) {
      await this.look();
      // Where nothing waits, the job is somebody else's by now.
      if (this.#waiting.length > 0) return false;
    }
    await this.#forget(this.#sent);
    return true;
  }

  /** Those that the journal says were told. */
  async #recorded(): Promise<ReadonlySet<number>> {
    const told = await this.#journal.all("message:sent");
    return new Set(told.flatMap(({ queued }) => queued ?? []));
  }

  async #forget(messages: readonly SentMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await forgetMessages(
      this.#hearer,
      messages.map(({ id }) => id),
    );
    this.#sent = this.#sent.filter((message) => !messages.includes(message));
  }

  async #putBack(messages: readonly SentMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await putBackMessages(
      this.#hearer,
      messages.map(({ id }) => id),
    );
    this.#sent = this.#sent.filter((message) => !messages.includes(message));
    await this.look();
  }
}

/** At the end of a turn, what was to be told earlier; at the end of the job everything, the last only when nothing else is left. */
function dueAt(waiting: readonly QueuedMessage[], moment: Moment): QueuedMessage[] {
  const before = waiting.filter((message) => message.moment === "boundary");
  if (moment === "boundary") return before;
  const turn = waiting.filter((message) => message.moment !== "end");
  return moment === "end" && turn.length === 0 ? [...waiting] : turn;
}

/** Whether what this session was told is in the document, or in the facts of one, that the work begins from. */
function isInDocument(start: Start, session: string): boolean {
  switch (start.mode) {
    case "facts":
    case "unstored":
      return true;
    case "resumed":
      return start.handOff;
    case "continuation":
      return start.handoff.fromSession === session;
    case "fresh":
    case "document":
      return false;
  }
}
