import { aroundPrompt, promptOn } from "../../agents/claude/own/prompt-screen.ts";
import { statusFigure } from "../../agents/claude/own/status-line.ts";
import { compactsAt } from "../../context/policy.ts";
import type { HandoffTrigger } from "../../handoff/document.ts";
import { thisProcess } from "../../processes/owner.ts";
import { askedFor, placeOf } from "../handoff/handoff-place.ts";
import { isHandedOff } from "../hooks/decision.ts";
import { stampOf } from "../hooks/settings.ts";
import { isAccount, requestLine } from "../record/asked-in-words.ts";
import { Roster } from "../record/cached-registry.ts";
import { programIsGone } from "../record/program-gone.ts";
import type { Registry } from "../record/registry.ts";
import type { ContextFigure, OwnSession, SessionHandoff } from "../record/session.ts";
import { announce, capture, sendLine } from "../terminal/tmux.ts";
import { Eye, figureOfTokens, hooksAreMissing } from "./transcript-follower.ts";
import { isOpen, type Sight, type WatchAct, type WatchSettings, watchDecision } from "./watch-decision.ts";

export interface WatchOptions {
  registry: Registry;
  settingsOf: (project: string) => Promise<WatchSettings>;
  /** Goes on after a stored handoff. Must not throw. */
  cycle: (session: OwnSession) => Promise<void>;
  /** Stores what a session without tools answered. */
  store: (session: OwnSession, answer: string) => Promise<Stored>;
  /** What it did, for people. Silent when all is well. */
  say: (session: OwnSession, what: string) => void;
  checks: CheckTimes;
  now?: () => number;
}

export interface Stored {
  isStored: boolean;
  /** What to say to the session where its answer falls short. */
  missing?: string;
}

/** When sessions were last sent a check message: also across a restart. */
export interface CheckTimes {
  of(session: string): number | undefined;
  set(session: string, at: number): Promise<void>;
}

interface Followed {
  eye: Eye | undefined;
  stallToldAt?: number;
  cycledAt?: number;
  toldFailure?: string;
  toldMissing?: boolean;
  toldFull?: boolean;
  /** When it was asked, by its record. What it said before that is no answer. */
  askedAt?: string;
  /** The answer that was last tried to be stored. */
  tried?: { what: string; at: number };
  /** Typing takes time, and the others must not wait for it. */
  typing?: Promise<void>;
}

/** How long a prompt may take to be free before the next look tries again. */
const PATIENCE_MS = 3_000;
/** How long to leave an answer alone that could not be stored. */
const STORE_AGAIN_MS = 10 * 60_000;
/** Without a pane only silence tells that a turn is over. */
const SILENCE_MS = 15_000;

/** Watches all registered sessions of a user. It spends no tokens, and stands in where hooks are missing. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #roster: Roster;
  readonly #followed = new Map<string, Followed>();
  readonly #now: () => number;
  readonly #here = thisProcess();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#roster = new Roster(options.registry);
    this.#now = options.now ?? Date.now;
  }

  /** One look at every session. Resolves when what it decided on is under way. */
  async look(): Promise<void> {
    const sessions = await this.#roster.sessions();
    const open = sessions.filter((session) => isOpen(session, this.#now()));
    const names = new Set(open.map(({ id }) => id));
    for (const id of this.#followed.keys()) if (!names.has(id)) this.#followed.delete(id);
    for (const session of open) {
      try {
        await this.#lookAt(session);
      } catch (error) {
        this.#failed(session, `could not be looked at: ${messageOf(error)}`);
      }
    }
  }

  /** Said once, until it is another thing: the next look is seconds away. */
  #failed(session: OwnSession, what: string): void {
    const followed = this.#followed.get(session.id);
    if (followed?.toldFailure === what) return;
    if (followed) followed.toldFailure = what;
    this.#options.say(session, what);
  }

  /** Resolves when nothing is being typed any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ typing }) => typing));
  }

  /** What was read of all transcripts so far. */
  get bytesRead(): number {
    return [...this.#followed.values()].reduce((sum, { eye }) => sum + (eye?.bytesRead ?? 0), 0);
  }

  async #lookAt(session: OwnSession): Promise<void> {
    const followed = this.#follow(session);
    const settings = await this.#options.settingsOf(session.project);
    const grew = (await followed.eye?.look()) ?? false;
    forgetEarlierWords(session, followed);
    const sight = await this.#sight(session, followed);
    const isUnseen = sight.figure !== null && sight.figure.source !== "transcript";
    if (sight.hooksMissing || isUnseen) await this.#standIn(sight, followed, grew);
    for (const act of watchDecision(sight, settings, this.#now()))
      await this.#do(act, sight, settings, followed);
  }

  #follow(session: OwnSession): Followed {
    const followed = this.#followed.get(session.id) ?? { eye: undefined };
    this.#followed.set(session.id, followed);
    const { transcript, reading, handoff } = session;
    // The answer may be in what was read before.
    if (transcript !== null && followed.eye?.transcript !== transcript)
      followed.eye = new Eye(transcript, handoff?.state === "asked" ? null : reading);
    return followed;
  }

  async #sight(session: OwnSession, followed: Followed): Promise<Sight> {
    const { eye, stallToldAt, cycledAt, toldFull = false } = followed;
    const now = this.#now();
    const figure = await figureOf(session, eye);
    return {
      session,
      alive: session.ended === null && !programIsGone(session, this.#here),
      figure,
      compactsAt: figure ? compactsAt(figure.window, process.env) : undefined,
      hooksMissing: eye !== undefined && hooksAreMissing(session, eye, now),
      owedSince: eye?.owesAnswer ? eye.changedAt : undefined,
      checkedAt: this.#options.checks.of(session.id) ?? this.#options.checks.of(session.parent ?? ""),
      stallToldAt,
      cycledAt,
      fullTold: toldFull,
      answered: await this.#hasAnswered(session, followed),
    };
  }

  /** Whether it has answered in words, and its turn is over: until then the tool may still be called. */
  async #hasAnswered(session: OwnSession, { eye, tried }: Followed): Promise<boolean> {
    if (session.handoff?.state !== "asked" || !eye?.saidLast || !isAccount(eye.answer)) return false;
    const isTried = tried !== undefined && tried.what === attempt(session, eye);
    if (isTried && this.#now() - tried.at < STORE_AGAIN_MS) return false;
    if (session.pane) return promptOn((await capture(session.pane)) ?? "").state !== "working";
    return this.#now() - eye.changedAt > SILENCE_MS;
  }

  /** Keeps on record what the hooks would have kept, and what they cannot see. */
  async #standIn({ session, figure, hooksMissing }: Sight, followed: Followed, grew: boolean): Promise<void> {
    if (hooksMissing && !followed.toldMissing) {
      followed.toldMissing = true;
      this.#options.say(session, "its hooks are missing, so it is followed from here");
    }
    const isNew = session.figure?.tokens !== figure?.tokens || session.figure?.source !== figure?.source;
    if (!isNew && !(hooksMissing && grew)) return;
    const reading = followed.eye?.reading ?? null;
    await this.#options.registry.update(session.id, (known) =>
      known
        ? { ...known, figure, reading: figure?.source === "transcript" ? reading : known.reading }
        : undefined,
    );
  }

  async #do(act: WatchAct, sight: Sight, settings: WatchSettings, followed: Followed): Promise<void> {
    const { registry, say, cycle, checks } = this.#options;
    const { session } = sight;
    switch (act.act) {
      case "end":
        say(session, act.reason);
        await registry.update(session.id, (known) =>
          known?.ended === null
            ? { ...known, ended: { at: new Date(this.#now()).toISOString(), reason: act.reason } }
            : undefined,
        );
        return;
      case "cycle":
        followed.cycledAt = this.#now();
        return cycle(session);
      case "warn":
        await registry.update(session.id, (known) =>
          known ? { ...known, warned: [...known.warned, act.level] } : undefined,
        );
        say(session, `its window is past ${act.level} %`);
        if (session.pane)
          await announce(session.pane, `Baton: this session's window is past ${act.level} %.`);
        return;
      case "stalled":
        followed.stallToldAt = this.#now();
        // Somebody has interrupted it: then it waits for a person, and not the other way round.
        if (session.pane && promptOn((await capture(session.pane)) ?? "").state === "empty") return;
        say(session, "it shows no sign of life, though it should be at work");
        if (session.pane) await announce(session.pane, "Baton: this session shows no sign of life.");
        return;
      case "full":
        followed.toldFull = true;
        return say(session, "its window is nearly full, and nothing can be typed into it: hand off by hand");
      case "ask":
        return this.#type(sight, followed, "it could not be asked for a handoff", () =>
          this.#ask(session, followed, act.trigger),
        );
      case "check":
        return this.#type(sight, followed, "it could not be sent a message", async () => {
          // It may have handed off while its prompt was waited for.
          const before = () => this.#isStill(session.handoff?.state, session);
          const { message } = settings.orchestrator;
          const { sent } = await sendLine(session, message, { patienceMs: PATIENCE_MS, before });
          if (sent) await checks.set(session.id, this.#now());
        });
      case "store":
        return this.#type(sight, followed, "its handoff could not be stored", () =>
          this.#store(session, followed),
        );
    }
  }

  /** One thing at a time is typed into a session. */
  #type({ session }: Sight, followed: Followed, failure: string, work: () => Promise<void>): void {
    if (followed.typing) return;
    followed.typing = work()
      .catch((error: unknown) => this.#failed(session, `${failure}: ${messageOf(error)}`))
      .finally(() => {
        delete followed.typing;
      });
  }

  /** On record right before it is typed: whoever looks next must not ask a second time. */
  async #ask(session: OwnSession, followed: Followed, trigger: HandoffTrigger): Promise<void> {
    const { registry, say } = this.#options;
    const at = new Date(this.#now()).toISOString();
    const parent = session.parent === null ? undefined : await registry.find(session.parent);
    const isOurs = (known: OwnSession | undefined) =>
      known?.handoff?.state === "asked" && known.handoff.at === at;
    let earlier: SessionHandoff | null = null;
    const claim = async () => {
      const claimed = await registry.update(session.id, (known) => {
        if (!known || isHandedOff(known)) return undefined;
        earlier = known.handoff;
        const { number, previous } = placeOf(known, parent);
        return { ...known, handoff: askedFor({ number, previous, trigger }, at) };
      });
      if (isOurs(claimed)) followed.eye?.forgetAnswer();
      return isOurs(claimed);
    };
    const typed = await sendLine(session, requestLine(), { patienceMs: PATIENCE_MS, before: claim });
    if (typed.sent) return say(session, "it was asked for a handoff");
    await registry.update(session.id, (known) =>
      known && isOurs(known) ? { ...known, handoff: earlier } : undefined,
    );
  }

  async #isStill(state: SessionHandoff["state"] | undefined, { id }: OwnSession): Promise<boolean> {
    const known = await this.#options.registry.find(id);
    return known?.ended === null && known.handoff?.state === state;
  }

  async #store(session: OwnSession, followed: Followed): Promise<void> {
    const { registry, store, cycle } = this.#options;
    const { eye } = followed;
    if (!eye) return;
    followed.tried = { what: attempt(session, eye), at: this.#now() };
    const { isStored, missing } = await store(session, eye.answer);
    if (missing) {
      // A new request is on record now. This answer counts for it too: it is completed from facts where no better one comes.
      const asked = (await registry.find(session.id))?.handoff;
      if (asked) followed.askedAt = asked.at;
      const before = () => this.#isStill("asked", session);
      await sendLine(session, missing, { patienceMs: PATIENCE_MS, before });
    }
    if (!isStored) return;
    followed.cycledAt = this.#now();
    await cycle(session);
  }
}

/** A hook's request is nobody's words in the transcript, so what was said before it looks like an answer. */
function forgetEarlierWords({ handoff }: OwnSession, followed: Followed): void {
  if (handoff?.state !== "asked" || followed.askedAt === handoff.at) return;
  followed.askedAt = handoff.at;
  if (!followed.eye?.answersRequest) followed.eye?.forgetAnswer();
}

/** The same for as long as it makes no sense to try again. */
function attempt({ project }: OwnSession, { answer }: Eye): string {
  return `${stampOf(project)}\n${answer}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The transcript first, then what the pane shows, then an estimate that says so. */
async function figureOf(session: OwnSession, eye: Eye | undefined): Promise<ContextFigure | null> {
  const exact = eye?.figure ?? (session.figure?.source === "transcript" ? session.figure : null);
  if (exact) return exact;
  const shown = session.pane && statusFigure(aroundPrompt((await capture(session.pane)) ?? ""));
  const of = eye?.context ?? { turns: 0, model: undefined };
  if (shown) return figureOfTokens(shown.tokens, shown.window, "status-line", of);
  return eye?.estimate ?? null;
}
