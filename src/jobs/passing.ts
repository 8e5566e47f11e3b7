import { readFile } from "node:fs/promises";
import { thrash } from "../context/policy.ts";
import { calledOffPrompt, continuationPrompt } from "../handoff/continuation.ts";
import { parseDocument } from "../handoff/document.ts";
import { findDocument } from "../handoff/history.ts";
import { letBackgroundFinish } from "./ask.ts";
import { checkpoint } from "./checkpoints.ts";
import type { JobContext } from "./context.ts";
import { HandoffCalledOff } from "./ending.ts";
import type { ContextFigures, HandoffTrigger, JobEvent, PauseCode } from "./events.ts";
import { makeHandoff } from "./handover.ts";
import type { HandoffRecord, Job } from "./job.ts";
import type { Leg } from "./leg.ts";
import type { LiveSession } from "./live-session.ts";

/** Where a handoff comes from: a live session, or only what is left of one. */
export interface HandoffFrom {
  session: string;
  trigger: HandoffTrigger;
  focus?: string;
  /** The work that goes on if the handoff is called off. */
  leg?: Leg;
  live?: LiveSession;
  /** The session that can still be asked for its account. */
  answers?: LiveSession;
  /** Why none can. */
  why?: string;
  /** The session has worked, so something of it may run in the background. */
  background?: boolean;
  /** The user's own hooks have passed on what they wanted to, so nobody is asked for an account. */
  byHook?: boolean;
}

/** A handoff that is on disk, or was called off at a stage; and the program of the next session, if one may follow. */
interface Made {
  calledOffAt: Stage | undefined;
  halt: { code: PauseCode; message: string } | undefined;
  next: LiveSession | undefined;
}

type Stage = "background" | "writing";

/** What follows a handoff: the next session's work, or a pause. */
export type Passed = { leg: Leg } | { pause: { code: PauseCode; message: string } };

/** Passes a job from one session to the next. */
export class Passing {
  readonly #context: JobContext;
  /** Aborted to call off the handoff that is being made. */
  #calledOff: AbortController | undefined;

  constructor(context: JobContext) {
    this.#context = context;
  }

  async handOff(from: HandoffFrom): Promise<Passed> {
    return this.proceed(from, await this.make(from));
  }

  /** Writes the handoff and puts it on record. The old session is still there. */
  async make(from: HandoffFrom): Promise<Made> {
    const { sessions, job, record, now } = this.#context;
    const startedAt = now();
    const number = job().handoffs.length + 1;
    const figures = job().context ?? { tokens: 0, window: 0, percent: 0 };
    const halt = this.#halt(from.session);
    const calledOff = new AbortController();
    this.#calledOff = from.leg && calledOff;
    await record(startEvent(job(), from, number, figures));
    const next = halt ? undefined : sessions.warm();
    const calledOffAt = await this.#make(from, { number, figures, startedAt, calledOff: calledOff.signal });
    return { calledOffAt, halt, next };
  }

  /** Ends the old session, and begins the next from what is stored. */
  async proceed(from: HandoffFrom, { calledOffAt, halt, next }: Made): Promise<Passed> {
    const { sessions, job } = this.#context;
    if (calledOffAt && from.leg) return { leg: await this.#goOn(from.leg, calledOffAt, next) };
    if (from.live) await sessions.end(from.live, from.trigger === "overflow" ? "out-of-context" : "handoff");
    if (halt) return { pause: halt };
    const stored = job().handoffs.at(-1);
    if (!stored) throw new Error("the handoff was not stored");
    return { leg: await this.continueFrom(stored, next ?? sessions.warm()) };
  }

  /** False when no handoff is being made that could still be called off. */
  callOff(): boolean {
    this.#calledOff?.abort(new HandoffCalledOff());
    return this.#calledOff !== undefined;
  }

  /** Begins with a document that may be by another tool, or edited by hand: its head says what it can. */
  async beginFrom(path: string): Promise<Leg> {
    const found = await findDocument(path);
    const document = await readFile(found, "utf8");
    const { number = 1, session = null, transcript = null } = parseDocument(document).head;
    return this.#begin(
      this.#context.sessions.warm(),
      { path: found, document, number, session, transcript },
      [],
    );
  }

  async continueFrom({ fromSession, documentPath, number }: HandoffRecord, live: LiveSession): Promise<Leg> {
    const { agent, env, job } = this.#context;
    const [document, transcript = null] = await Promise.all([
      readFile(documentPath, "utf8"),
      agent.findTranscript({ sessionId: fromSession, env }),
    ]);
    const from = { path: documentPath, document, number, session: fromSession, transcript };
    return this.#begin(live, from, [
      {
        type: "context:handoff:complete",
        agentName: job().agent,
        jobId: job().id,
        oldSessionId: fromSession,
        newSessionId: live.id,
        handoffNumber: number,
      },
    ]);
  }

  async #begin(
    live: LiveSession,
    from: {
      path: string;
      document: string;
      number: number;
      session: string | null;
      transcript: string | null;
    },
    events: JobEvent[],
  ): Promise<Leg> {
    const { sessions, job, newLeg, facts, hooks, signal } = this.#context;
    const { head, account } = parseDocument(from.document);
    const text = continuationPrompt({
      number: from.number,
      document: from.document,
      documentPath: from.path,
      previous: head.previous ?? null,
      request: job().prompt,
      ledger: [...new Set([...facts.facts().done, ...account.progress.done])],
      previousSession: from.session,
      transcript: from.transcript,
    });
    sessions.begin(live, "continuation", ...events);
    const opening = await hooks.sessionStart(live.id, text, from, signal);
    await sessions.tell(live, { kind: "continuation", text: opening, verbatim: true });
    return newLeg(live, true);
  }

  /** Makes the handoff, or says at which stage it was called off. */
  async #make(
    from: HandoffFrom,
    begun: { number: number; figures: ContextFigures; startedAt: Date; calledOff: AbortSignal },
  ): Promise<Stage | undefined> {
    const { config, append, facts, hooks } = this.#context;
    const { calledOff, ...parts } = begun;
    const signal = AbortSignal.any([this.#context.signal, calledOff]);
    const { session, answers: live, trigger, focus, why } = from;
    let stage: Stage = "background";
    try {
      const grace = config.session.backgroundGraceMs;
      const working = from.background ? from.live : undefined;
      const background = working ? await letBackgroundFinish(working, grace, signal) : [];
      if (background.length > 0) append({ type: "background:left", session, tasks: background });
      signal.throwIfAborted();
      stage = "writing";
      const context = { ...this.#context, signal, onStoring: () => this.#tooLate() };
      await makeHandoff(context, {
        ...parts,
        session,
        trigger,
        background,
        collector: facts,
        checkpoint: checkpoint(this.#context, `handoff ${parts.number}`),
        ...(focus && { focus }),
        ...(live && { answers: live }),
        ...(why && { why }),
        ...(from.byHook && { byHook: true }),
      });
      const stored = this.#context.job().handoffs.at(-1);
      if (stored) await hooks.handoff(stored, this.#context.signal);
      return undefined;
    } catch (error) {
      if (calledOff.aborted && !this.#context.signal.aborted) return stage;
      throw error;
    } finally {
      this.#tooLate();
    }
  }

  #tooLate(): void {
    this.#calledOff = undefined;
  }

  /** The session goes on where it was, as if nobody had asked it to hand over. */
  async #goOn(leg: Leg, stage: Stage, unused: LiveSession | undefined): Promise<Leg> {
    const { sessions, append } = this.#context;
    if (unused) await sessions.drop(unused);
    if (stage === "writing") await leg.interrupt();
    append({ type: "handoff:cancelled", session: leg.live.id, stage });
    return this.spare(leg);
  }

  /** Lets the session work on, with room for another step of its window. */
  async spare(leg: Leg): Promise<Leg> {
    leg.postpone();
    await this.#context.sessions.tell(leg.live, { kind: "retry", text: calledOffPrompt(), verbatim: true });
    return leg;
  }

  /** Why no session may follow this handoff, if so. It is written all the same. */
  #halt(session: string): { code: PauseCode; message: string } | undefined {
    const { config } = this.#context;
    const job = this.#context.job();
    const turns = job.sessions.find(({ id }) => id === session)?.turns ?? 0;
    const verdict = job.handoffs.length > 0 ? thrash({ at: "handoff", turnsSinceLast: turns }) : undefined;
    if (verdict?.thrash) return { code: "thrash", message: verdict.message };
    if (!config.handoff.autoContinue) {
      return {
        code: "handed_off",
        message: "The handoff is written, and handoff.auto_continue_cli is false.",
      };
    }
    const most = config.session.maxHandoffsPerJob;
    if (job.handoffs.length - job.allowance.handoffs < most) return undefined;
    const used = `The job has used its ${most} ${most === 1 ? "handoff" : "handoffs"}`;
    return {
      code: "max_handoffs",
      message: `${used} (session.max_handoffs_per_job). The last one is written.`,
    };
  }
}

function startEvent(job: Job, from: HandoffFrom, handoffNumber: number, figures: ContextFigures): JobEvent {
  return {
    type: "context:handoff:start",
    agentName: job.agent,
    jobId: job.id,
    oldSessionId: from.session,
    usagePercent: figures.window === 0 ? 0 : figures.tokens / figures.window,
    inputTokens: figures.tokens,
    contextWindow: figures.window,
    trigger: from.trigger,
    handoffNumber,
  };
}
