import { thrash } from "../../context/policy.ts";
import {
  calledOffPrompt,
  continuationPrompt,
  type DocumentRecord,
  noRecordOf,
  notWantedPrompt,
  workOnPrompt,
} from "../../handoff/continuation.ts";
import { parseDocument } from "../../handoff/document.ts";
import { findAppendix, findDocument } from "../../handoff/history.ts";
import { readDocumentText } from "../../handoff/read-document.ts";
import type { ContextFigures, JobEvent, PauseCode, SessionEnd } from "../../job/events.ts";
import { countedHandoffs, type HandoffRecord, type Job } from "../../job/job.ts";
import { messageOf } from "../../util/errors.ts";
import { newTag } from "../../util/frame.ts";
import { documentOf } from "../end/archive.ts";
import { HandoffCalledOff } from "../reasons.ts";
import { tryCheckpoint } from "../run/checkpoints.ts";
import type { Opening } from "../run/job-sessions.ts";
import type { Leg } from "../run/leg.ts";
import type { LiveSession } from "../run/live-session.ts";
import type { JobAtWork } from "../run/phases.ts";
import { type LeftRunning, letBackgroundFinish } from "./ask.ts";
import { type HandoffFrom, liveOf, sessionOf, triggerOf, waitsAfter, workOf } from "./handoff-from.ts";
import { type JobHandoff, makeJobHandoff, storeKeptHandoff } from "./job-handoff.ts";

/** A handoff that is on disk, or came to nothing; and the program of the next session, if one may follow. */
interface Made {
  undone: Undone | undefined;
  halt: Pause | undefined;
  next: Next | undefined;
  /** Who has the job from then on. */
  work: JobAtWork;
}

/** A session that may take over, of whichever agent. */
interface Next {
  work: JobAtWork;
  live: LiveSession;
}

type Stage = "background" | "writing";

/** The stage at which a handoff was called off, or failed. */
interface Undone {
  stage: Stage;
  failure?: string;
}

/** Why a job goes no further by itself. */
export interface Pause {
  code: PauseCode;
  message: string;
}

/** What follows a handoff: the next session's work, whose agent `work` is with, or a pause. */
export type Passed = { leg: Leg; work: JobAtWork } | { pause: Pause };

/** Passes a job from one session to the next. */
export class Handoffs {
  readonly #work: JobAtWork;
  /** Aborted to call off the handoff that is being made. */
  #calledOff: AbortController | undefined;

  constructor(work: JobAtWork) {
    this.#work = work;
  }

  async handOff(from: HandoffFrom): Promise<Passed> {
    return this.proceed(from, await this.make(from));
  }

  /** Writes the handoff and records it. The old session is still there. */
  async make(from: HandoffFrom): Promise<Made> {
    const { job, record } = this.#work;
    const startedAt = performance.now();
    const number = job().handoffs.length + 1;
    const figures = job().context ?? NO_FIGURES;
    const halt = this.#halt(from);
    const calledOff = new AbortController();
    this.#calledOff = workOf(from) && calledOff;
    await record(startEvent(job(), from, number, figures));
    const { work, switched } = await this.#successor(from);
    const begun = { number, figures, startedAt, switched, calledOff: calledOff.signal };
    const making = this.#make(from, begun);
    if (halt) return { undone: await making, halt, next: undefined, work };
    // Beside one another: some programs take long to start.
    const [undone, live] = await bothOrNeither(making, work.sessions.warm(), (unused) =>
      work.sessions.drop(unused),
    );
    return { undone, halt, next: { work, live }, work };
  }

  /** Who takes over: the agent that runs the job, unless a person wants another, or a better one can work again. */
  async #successor(from: HandoffFrom): Promise<Successor> {
    const { crew } = this.#work;
    if (from.kind === "work" && from.to !== undefined) {
      const switched = handedTo(crew.choice.current, from.to);
      return { work: await crew.join(from.to), ...(switched && { switched }) };
    }
    // It is on record who takes over from one that was cut off.
    const switched = from.kind === "cut-off" ? undefined : crew.return();
    const work = switched && crew.of(switched.to);
    return work ? { work, switched } : { work: crew.current() };
  }

  /** Ends the old session, and begins the next from what is stored. */
  async proceed(from: HandoffFrom, { undone, halt, next, work }: Made): Promise<Passed> {
    const { job, isAttended, append } = this.#work;
    const waits = waitsAfter(from);
    const before = workOf(from);
    if (undone && before) {
      const hasAsked = triggerOf(from) === "agent";
      return { leg: await this.#goOn(before, undone, next, { waits, hasAsked }), work: this.#work };
    }
    const { gone } = await this.#endOld(from);
    try {
      if (halt && !isAttended) return { pause: halt };
      if (halt) append({ type: "warning", message: halt.message });
      const stored = job().handoffs.at(-1);
      if (!stored) throw new Error("the handoff was not stored");
      const live = next?.live ?? (await work.sessions.warm());
      const leg = await new Handoffs(work).continueFrom(stored, live, waits || halt !== undefined);
      return { leg, work };
    } finally {
      await gone;
    }
  }

  async #endOld(from: HandoffFrom): Promise<{ gone: Promise<void> }> {
    if (from.kind === "gone") return { gone: Promise.resolve() };
    return this.#work.sessions.endForNext(liveOf(from), endedAs(from));
  }

  /** False when no handoff is being made that could still be called off. */
  callOff(): boolean {
    this.#calledOff?.abort(new HandoffCalledOff());
    return this.#calledOff !== undefined;
  }

  /** Begins with a document that may be by another tool, or by nobody known: then its head is not believed. */
  async beginFrom(path: string, recorded: boolean): Promise<Leg> {
    const { crew, sessions, append } = this.#work;
    const found = await findDocument(path);
    const document = readDocumentText(found);
    const { head } = parseDocument(document);
    const { number = 1, session = null, previous = null } = head;
    if (!recorded) {
      append({ type: "warning", message: noRecordOf(found) });
      return this.#begin(await sessions.warm(), { path: found, document, number, record: null }, []);
    }
    const transcript = session ? await crew.transcriptOf(session) : undefined;
    const appendix = await findAppendix(found, head);
    const record = { session, previous, transcript: transcript ?? null, appendix };
    return this.#begin(await sessions.warm(), { path: found, document, number, record }, []);
  }

  /** Begins with a document that is stored only now, because there was no room for it. */
  async storeAndContinue(kept: Extract<JobEvent, { type: "handoff:unstored" }>): Promise<Leg> {
    const { sessions, job, hooks, isAttended, signal } = this.#work;
    await storeKeptHandoff(this.#work, kept);
    const stored = job().handoffs.at(-1);
    if (!stored) throw new Error("the handoff was not stored");
    await hooks.handoff(stored, signal);
    return this.continueFrom(stored, await sessions.warm(), isAttended);
  }

  async continueFrom(handoff: HandoffRecord, live: LiveSession, waits = false): Promise<Leg> {
    const { fromSession, number } = handoff;
    const { crew, job } = this.#work;
    const documentPath = await documentOf(handoff);
    const document = readDocumentText(documentPath);
    const transcript = (await crew.transcriptOf(fromSession)) ?? null;
    const { head } = parseDocument(document);
    const appendix = await findAppendix(documentPath, head);
    const record = { session: fromSession, previous: head.previous ?? null, transcript, appendix };
    const from = { path: documentPath, document, number, record };
    return this.#begin(live, from, [handoffComplete(job(), handoff, live.id)], waits);
  }

  async #begin(
    live: LiveSession,
    from: {
      path: string;
      document: string;
      number: number;
      record: DocumentRecord | null;
    },
    events: JobEvent[],
    waits = false,
  ): Promise<Leg> {
    const { sessions, job, newLeg, facts, hooks, signal } = this.#work;
    const { account } = parseDocument(from.document);
    const text = continuationPrompt({
      of: "job",
      number: from.number,
      document: from.document,
      documentPath: from.path,
      record: from.record,
      request: job().prompt,
      ledger: [...new Set([...facts.facts().done, ...account.progress.done])],
      tag: newTag(),
    });
    sessions.begin(live, "continuation", ...events);
    const session = from.record?.session ?? null;
    const opening = await hooks.sessionStart(live.id, text, { ...from, session }, signal);
    const leg = newLeg(live, true);
    const first: Opening = { kind: "continuation", text: opening, verbatim: true };
    if (waits) leg.waitForPerson(first);
    else await sessions.tell(live, first);
    return leg;
  }

  /** Makes the handoff, or says at which stage it came to nothing. */
  async #make(
    from: HandoffFrom,
    begun: Pick<JobHandoff, "number" | "figures" | "startedAt" | "switched"> & { calledOff: AbortSignal },
  ): Promise<Undone | undefined> {
    const { append, hooks, isAttended } = this.#work;
    const { calledOff, ...parts } = begun;
    const signal = AbortSignal.any([this.#work.signal, calledOff]);
    let stage: Stage = "background";
    try {
      const background = await this.#leftRunning(from, signal);
      if (background.tasks.length > 0)
        append({ type: "background:left", session: sessionOf(from), ...background });
      signal.throwIfAborted();
      stage = "writing";
      const kept = tryCheckpoint(this.#work, `handoff ${parts.number}`);
      await makeJobHandoff(this.#work, {
        ...parts,
        from,
        background,
        checkpoint: kept.then(({ ref }) => ref),
        // A person who asked for it can ask again, or do without: better than a document that the session had no part in.
        ownAccountOnly: isAttended && triggerOf(from) === "manual",
        signal,
        onStoring: () => this.#tooLate(),
      });
      const stored = this.#work.job().handoffs.at(-1);
      if (stored) await hooks.handoff(stored, this.#work.signal);
      // A session that could keep nothing of its work in git does not follow by itself.
      const { noRoom } = await kept;
      if (noRoom && !isAttended) throw noRoom;
      return undefined;
    } catch (error) {
      this.#work.signal.throwIfAborted();
      if (calledOff.aborted) return { stage };
      if (!isAttended || !workOf(from)) throw error;
      return { stage, failure: messageOf(error) };
    } finally {
      this.#tooLate();
    }
  }

  /** What a session that has worked still runs in the background when it had time to finish. */
  async #leftRunning(from: HandoffFrom, signal: AbortSignal): Promise<LeftRunning> {
    const hasWorked = from.kind === "work" || from.kind === "by-hook";
    if (!hasWorked) return { tasks: [], atRest: false };
    const { config, activity } = this.#work;
    return letBackgroundFinish(liveOf(from), config.session.backgroundGraceMs, activity, signal);
  }

  #tooLate(): void {
    this.#calledOff = undefined;
  }

  /** The session goes on where it was, as if nobody had asked it to hand over. */
  async #goOn(
    leg: Leg,
    { stage, failure }: Undone,
    unused: Next | undefined,
    { waits, hasAsked }: { waits: boolean; hasAsked: boolean },
  ): Promise<Leg> {
    const { append } = this.#work;
    const session = leg.live.id;
    // First of all: whoever has called it off waits for this word, and to end a program takes its time.
    if (failure === undefined) append({ type: "handoff:cancelled", session, stage });
    else append({ type: "handoff:failed", session, message: failure });
    await Promise.all([unused?.work.sessions.drop(unused.live), stage === "writing" && leg.interrupt()]);
    return this.spare(leg, { waits, hasHeard: stage === "writing" || hasAsked });
  }

  /** Lets the session work on, with room for another step of its window. `hasHeard`: it knows of the handoff that does not come. */
  async spare(leg: Leg, { waits, hasHeard }: { waits: boolean; hasHeard: boolean }): Promise<Leg> {
    leg.postpone();
    const say = (text: string): Opening => ({ kind: "retry", text, verbatim: true });
    if (waits) leg.waitForPerson(hasHeard ? say(notWantedPrompt()) : undefined);
    else await this.#work.sessions.tell(leg.live, say(hasHeard ? calledOffPrompt() : workOnPrompt()));
    return leg;
  }

  /** Why no session may follow this handoff, if so. It is written all the same. */
  #halt(from: HandoffFrom): Pause | undefined {
    const { config, isAttended } = this.#work;
    const job = this.#work.job();
    if (isAttended && triggerOf(from) === "manual") return undefined;
    // It only takes the place of one that was counted, or of a session that would have been resumed.
    if (from.kind === "gone" && from.lost) return undefined;
    // A person who names the agent that is to continue wants it to.
    const isForced = triggerOf(from) === "switch" || (from.kind === "work" && from.to !== undefined);
    const turns = job.sessions.find(({ id }) => id === sessionOf(from))?.turns ?? 0;
    const verdict =
      countedHandoffs(job) > 0 && !isForced ? thrash({ at: "handoff", turnsSinceLast: turns }) : undefined;
    if (verdict?.thrash) return { code: "thrash", message: verdict.message };
    if (!config.handoff.autoContinue) {
      return {
        code: "handed_off",
        message: "The handoff is written, and handoff.auto_continue_cli is false.",
      };
    }
    const most = config.session.maxHandoffsPerJob;
    if (isForced || countedHandoffs(job) - job.allowance.handoffs < most) return undefined;
    const used = `The job has used its ${most} ${most === 1 ? "handoff" : "handoffs"}`;
    return {
      code: "max_handoffs",
      message:
        `${used} (session.max_handoffs_per_job), and its work is not done. The last one is written, and baton resume ` +
        "continues from it. For a night, allow more: session: { max_handoffs_per_job: 20 }",
    };
  }
}

/** What both come to. Where one fails, nothing is left of the second. */
async function bothOrNeither<A, B>(
  one: Promise<A>,
  other: Promise<B>,
  undo: (made: B) => Promise<void>,
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one, other]);
  if (first.status === "fulfilled" && second.status === "fulfilled") return [first.value, second.value];
  if (second.status === "fulfilled") await undo(second.value);
  throw first.status === "rejected" ? first.reason : second.status === "rejected" && second.reason;
}

interface Successor {
  work: JobAtWork;
  /** On record once the handoff is stored. */
  switched?: Extract<JobEvent, { type: "agent:switched" }>;
}

/** Undefined where that one has the job already. */
export function handedTo(from: string, to: string): Successor["switched"] {
  if (from === to) return undefined;
  return { type: "agent:switched", from, to, reason: "manual", message: "Handed over by hand." };
}

function endedAs(from: HandoffFrom): SessionEnd {
  if (from.kind === "overflowed") return "out-of-context";
  if (from.kind !== "cut-off") return "handoff";
  return from.reason === "usage_limit" ? "limited" : "failed";
}

export function handoffComplete(job: Job, { fromSession, number }: HandoffRecord, next: string): JobEvent {
  return {
    type: "context:handoff:complete",
    agentName: job.agent,
    jobId: job.id,
    oldSessionId: fromSession,
    newSessionId: next,
    handoffNumber: number,
  };
}

export const NO_FIGURES: ContextFigures = { tokens: 0, window: 0, percent: 0 };

export function startEvent(
  job: Job,
  from: HandoffFrom,
  handoffNumber: number,
  figures: ContextFigures,
): JobEvent {
  return {
    type: "context:handoff:start",
    agentName: job.agent,
    jobId: job.id,
    oldSessionId: sessionOf(from),
    usagePercent: figures.window === 0 ? 0 : figures.tokens / figures.window,
    inputTokens: figures.tokens,
    contextWindow: figures.window,
    ...(figures.isEstimate && { isEstimate: true }),
    ...(figures.pending !== undefined && { pending: figures.pending }),
    trigger: triggerOf(from),
    handoffNumber,
  };
}
