import type { Agent, Models } from "../../agents/agent.ts";
import type { AgentEvent } from "../../agents/events.ts";
import { atOwnPrices, repriced } from "../../agents/price.ts";
import type { RecordedCall } from "../../agents/recorded-tool.ts";
import { isSimulated } from "../../agents/simulated.ts";
import { economicalTokens } from "../../context/economy.ts";
import { type Pace, paceAfter } from "../../context/pace.ts";
import { initialContext, track } from "../../context/tracker.ts";
import type { FactCollector } from "../../handoff/collect.ts";
import type { JobEvent, MessageKind, SessionEnd } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { Redact } from "../../secrets/redact.ts";
import { LiveSession } from "./live-session.ts";
import { type Prestarted, prestart, startSession } from "./prestart.ts";
import { LaggingTranscript } from "./recorded-calls.ts";
import { allowedIn, type JobSetting } from "./spec.ts";

/** What Baton says to a session. */
export interface Opening {
  kind: MessageKind;
  text: string;
  verbatim: boolean;
}

export interface SessionsOptions extends JobSetting {
  agent: Agent;
  /** A program that was started ahead, for the first new session. */
  prestarted: Prestarted | undefined;
  facts: FactCollector;
  job: () => Job;
  /** The tool calls of a session that the journal saw end. */
  recordedCalls: (session: string) => Promise<RecordedCall[]>;
  redact: Redact;
  /** Hears the agent's texts as they are written. */
  overhear?: (partial: string) => void;
  append: (event: JobEvent) => void;
  /** The same for what was made of an agent's words once they were redacted: nothing is redacted twice. */
  appendHeard: (event: JobEvent) => void;
  record: (event: JobEvent) => Promise<void>;
  /** Aborted to end the job: from that moment on no session does anything more. */
  signal: AbortSignal;
}

/** What the transcript of a session tells whoever continues it. */
interface Collected {
  /** Calls that ended before, of which the program does not know that. */
  ended: RecordedCall[];
  /** What stands in its transcript as the user's. */
  heard: string[];
}

/** A session in another run of its program. */
export interface Resumed extends Collected {
  live: LiveSession;
}

/** The sessions of one job: starts them, keeps them on record, and ends every one it started. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Set<LiveSession>();
  /** Sessions whose events are among the facts already. */
  readonly #collected = new Set<string>();
  /** Heard only while one is open: whoever listens keeps the signal, and with it the whole job, in memory. */
  readonly #closeAll = () => {
    for (const live of this.#open) void live.close();
  };
  #prestarted: Prestarted | undefined;
  #ahead: Promise<LiveSession> | undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#prestarted = options.prestarted;
  }

  /** A new session whose program starts up while something else goes on. It is on record once it begins. */
  async warm(): Promise<LiveSession> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const live = await ahead?.catch(() => undefined);
    if (live) return live;
    const prestarted = this.#prestarted;
    this.#prestarted = undefined;
    return this.#listenTo(prestarted ?? (await prestart(this.#options.agent, this.#options)));
  }

  /** Has the program of the next new session start up by now, once. */
  async startAhead(): Promise<void> {
    this.#ahead ??= this.warm();
    await this.#ahead;
  }

  /** The session of this id again, in a new run of the program. */
  async resume(id: string): Promise<Resumed> {
    const collected = await this.collect(id);
    return { live: await this.reopen(id), ...collected };
  }

  /** The same where its transcript was read before. */
  async reopen(id: string): Promise<LiveSession> {
    return this.#listenTo(
      await startSession(this.#options.agent, this.#options, { sessionId: id, resume: true }),
    );
  }

  /**
   * Facts of a session from its transcript, and from the journal where that has more: returns the calls of which the
   * transcript does not know that they ended, and what stands there as the user's, which is what Baton said.
   */
  async collect(id: string): Promise<Collected> {
    const { agent, config, env, facts, redact, recordedCalls } = this.#options;
    const isNew = !this.#collected.has(id);
    this.#collected.add(id);
    const transcript = new LaggingTranscript(await recordedCalls(id));
    let context = initialContext({});
    const costs = new Map<string, number | undefined>();
    const heard: string[] = [];
    for await (const told of agent.readTranscript({ sessionId: id, env })) {
      const event = transcript.corrected(repriced(told, config.prices, agent.models));
      context = track(context, event, agent.models);
      if (event.type === "response" && event.subagent === undefined) costs.set(event.id, event.costUsd);
      if (event.type === "user") heard.push(event.text);
      // What Baton said, too, while the program was busy.
      else if (event.type === "queued" || event.type === "unqueued") continue;
      else if (isNew) facts.add(redact(event));
    }
    if (isNew) {
      for (const event of transcript.missing()) facts.add(event);
      this.#countTurns(id, context.turns, costs);
    }
    facts.endSubagents();
    return { ended: transcript.unknown(), heard };
  }

  /** An owner that was killed may not have heard of the last ones. */
  #countTurns(id: string, turns: number, costs: ReadonlyMap<string, number | undefined>): void {
    const { config, job, append } = this.#options;
    const known = job().sessions.find((session) => session.id === id);
    // The transcript of a session that spans jobs tells of the others, too.
    const isOurs = known && (known.ordinal > 1 || config.session.mode === "fresh");
    if (!isOurs || turns <= known.turns) return;
    const missed = [...costs].slice(known.turns - turns);
    const missedCostUsd = missed.map(([, costUsd]) => costUsd).reduce(sumOfKnown, 0);
    const last = missed.at(-1)?.[0];
    append({
      type: "session:known",
      session: id,
      turns,
      ...(missedCostUsd !== undefined && { missedCostUsd }),
      ...(last !== undefined && isSimulated({ id: last }) && { simulated: true as const }),
    });
  }

  /** Puts the session on record before it can do anything. `also` becomes durable with it. */
  begin(live: LiveSession, mode: "fresh" | "continuation" | "resumed", ...also: JobEvent[]): void {
    const { job, append, config, person } = this.#options;
    const { permissionMode, name: agent, runtime } = config;
    const known = job().sessions.find((session) => session.id === live.id);
    append({
      type: "session:starting",
      session: live.id,
      ordinal: known?.ordinal ?? job().sessions.length + 1,
      mode,
      permissions: {
        tools: allowedIn(config, person),
        ...(permissionMode !== undefined && { mode: permissionMode }),
      },
      agent,
      runtime,
    });
    for (const event of also) append(event);
    if (live.leftOut.length > 0) {
      append({ type: "repository:left-out", session: live.id, files: [...live.leftOut] });
    }
  }

  async tell(live: LiveSession, { kind, text, verbatim }: Opening): Promise<void> {
    await this.#options.record({ type: "message:sent", session: live.id, kind, text });
    this.#options.signal.throwIfAborted();
    live.send({ text, verbatim });
  }

  async end(live: LiveSession, reason: SessionEnd, message?: string): Promise<void> {
    this.#forget(live);
    await live.close();
    this.#options.append({
      type: "session:ended",
      session: live.id,
      reason,
      ...(message !== undefined && { message }),
    });
  }

  /**
   * Ends a session that another one follows. From the call on it begins nothing, so one that runs nothing is over with it:
   * the next may be told what to do while the program ends, which `gone` waits for.
   */
  async endForNext(live: LiveSession, reason: SessionEnd): Promise<{ gone: Promise<void> }> {
    if (live.toolRunning || live.background.length > 0) {
      await this.end(live, reason);
      return { gone: Promise.resolve() };
    }
    this.#forget(live);
    const gone = live.close();
    this.#options.append({ type: "session:ended", session: live.id, reason });
    return { gone };
  }

  #forget(live: LiveSession): void {
    this.#open.delete(live);
    if (this.#open.size === 0) this.#options.signal.removeEventListener("abort", this.#closeAll);
  }

  /** Ends the program of a session that goes on in another run of it. */
  async drop(live: LiveSession): Promise<void> {
    this.#forget(live);
    await live.close();
  }

  /** Ends what was started ahead, and not used. */
  async dropUnused(): Promise<void> {
    const known = new Set(this.#options.job().sessions.map((session) => session.id));
    await this.#ahead?.catch(() => {});
    await Promise.all([...this.#open].flatMap((live) => (known.has(live.id) ? [] : [this.drop(live)])));
  }

  /** Ends whatever is open: the current session for this reason, and a warm one that was never used. */
  async endAll(reason: SessionEnd): Promise<void> {
    const known = new Set(this.#options.job().sessions.map((session) => session.id));
    await Promise.all(
      [...this.#open].map((live) => (known.has(live.id) ? this.end(live, reason) : this.drop(live))),
    );
  }

  /** What can be found again: a session is on record by the id that its program knows. */
  async #listenTo({ session, mark, inbox, leftOut }: Prestarted): Promise<LiveSession> {
    const { agent, config, job, redact, appendHeard, facts, overhear, signal } = this.#options;
    const models = atOwnPrices(agent.models, config.prices);
    const live = new LiveSession(session, {
      models,
      prices: config.prices,
      ...(config.session.threshold.kind === "economical" && {
        economical: (response) => economicalAfter(response, job().pace, models),
      }),
      facts,
      mark,
      inbox,
      leftOut,
      ...(config.contextWindow !== undefined && { configuredWindow: config.contextWindow }),
      redact,
      ...(overhear && { overhear }),
      record: appendHeard,
    });
    this.#open.add(live);
    signal.addEventListener("abort", this.#closeAll, { once: true });
    if (signal.aborted) void live.close();
    await session.identified;
    this.#collected.add(session.id);
    return live;
  }
}

/** Where the session hands off, once it is on record that it gave this answer. */
function economicalAfter(
  { model, usage }: Extract<AgentEvent, { type: "response" }>,
  before: Pace | undefined,
  { priceOf }: Models,
): number | undefined {
  const pace = paceAfter(before, usage);
  const price = pace?.here && priceOf(model, pace.here.prompt);
  return price && economicalTokens(pace, price);
}

function sumOfKnown(sum: number | undefined, cost: number | undefined): number | undefined {
  return sum === undefined || cost === undefined ? undefined : sum + cost;
}
