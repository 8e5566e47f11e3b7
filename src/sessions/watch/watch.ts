import { aroundPrompt, promptOn } from "../../agents/claude/own/prompt-screen.ts";
import { statusFigure } from "../../agents/claude/own/status-line.ts";
import { thisProcess } from "../../processes/owner.ts";
import { messageOf } from "../../util/errors.ts";
import { percent } from "../../util/figures.ts";
import { CachedRegistry } from "../record/cached-registry.ts";
import { isAsked } from "../record/handoff-state.ts";
import type { Registry } from "../record/registry.ts";
import { type ContextFigure, type OwnSession, programIsGone } from "../record/session.ts";
import { announce, capture } from "../terminal/tmux.ts";
import {
  askInWords,
  forgetEarlierWords,
  hasAnswered,
  sendCheck,
  storeAnswer,
  type Talk,
} from "./at-the-prompt.ts";
import { compactionOf } from "./figure.ts";
import { figureOfTokens, hooksAreMissing, TranscriptFollower } from "./transcript-follower.ts";
import { isOpen, type Sight, type WatchAct, type WatchSettings, watchDecision } from "./watch-decision.ts";

export interface WatchOptions {
  registry: Registry;
  settingsOf: (project: string) => Promise<WatchSettings>;
  /** Goes on after a stored handoff. Must not throw. */
  cycle: (session: OwnSession) => Promise<void>;
  /** Stores what a session without tools answered. */
  store: (session: OwnSession, answer: string) => Promise<Stored>;
  /** Writes the document of a session that does not answer, and returns its path. */
  writeFromFacts: (session: OwnSession) => Promise<string | undefined>;
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

interface Followed extends Talk {
  stallToldAt?: number;
  cycledAt?: number;
  toldFailure?: string;
  toldMissing?: boolean;
  toldFull?: boolean;
  /** Typing takes time, and the others must not wait for it. */
  typing?: Promise<void>;
}

/** Watches all registered sessions of a user. It spends no tokens, and stands in where hooks are missing. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #sessions: CachedRegistry;
  readonly #followed = new Map<string, Followed>();
  /** Where sessions were that it has seen. Undefined before the first look. */
  #places: ReadonlySet<string> | undefined;
  readonly #now: () => number;
  readonly #here = thisProcess();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#sessions = new CachedRegistry(options.registry);
    this.#now = options.now ?? Date.now;
  }

  /** One look at every session. Resolves when what it decided on is under way. */
  async look(): Promise<void> {
    const sessions = await this.#sessions.list();
    const open = sessions.filter((session) => isOpen(session, this.#now()));
    this.#welcome(open);
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

  /** Whoever watches knows what is watched. A session that takes another's place is nothing new. */
  #welcome(open: readonly OwnSession[]): void {
    const before = this.#places;
    if (before) {
      for (const session of open) {
        const isNew = session.ended === null && !placesOf(session).some((place) => before.has(place));
        if (isNew) this.#options.say(session, "it is watched from now on");
      }
    }
    this.#places = new Set([...(before ?? []), ...open.flatMap(placesOf)]);
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
    return [...this.#followed.values()].reduce((sum, { follower }) => sum + (follower?.bytesRead ?? 0), 0);
  }

  async #lookAt(session: OwnSession): Promise<void> {
    const followed = this.#follow(session);
    const settings = await this.#options.settingsOf(session.project);
    const grew = (await followed.follower?.look()) ?? false;
    forgetEarlierWords(session, followed);
    const sight = await this.#sight(session, followed);
    const isUnseen = sight.figure !== null && sight.figure.source !== "transcript";
    if (sight.hooksMissing || isUnseen) await this.#standIn(sight, followed, grew);
    for (const act of watchDecision(sight, settings, this.#now()))
      await this.#do(act, sight, settings, followed);
  }

  #follow(session: OwnSession): Followed {
    const followed = this.#followed.get(session.id) ?? { follower: undefined };
    this.#followed.set(session.id, followed);
    const { transcript, handoff, settings } = session;
    if (transcript !== null && followed.follower?.transcript !== transcript) {
      // The answer may be in what was read before.
      const reading = isAsked(handoff) ? null : session.reading;
      followed.follower = new TranscriptFollower(transcript, reading, settings?.checkMessage);
    }
    return followed;
  }

  async #sight(session: OwnSession, followed: Followed): Promise<Sight> {
    const { follower, stallToldAt, cycledAt, toldFull = false } = followed;
    const now = this.#now();
    const figure = await figureOf(session, follower);
    return {
      session,
      alive: session.ended === null && !programIsGone(session, this.#here),
      figure,
      compactsAt: compactionOf(figure, process.env),
      hooksMissing: follower !== undefined && hooksAreMissing(session, follower, now),
      owedSince: follower?.owesAnswer ? follower.changedAt : undefined,
      checkedAt: this.#options.checks.of(session.id) ?? this.#options.checks.of(session.parent ?? ""),
      stallToldAt,
      cycledAt,
      fullTold: toldFull,
      answered: await hasAnswered(session, followed, now),
    };
  }

  /** Keeps on record what the hooks would have kept, and what they cannot see. */
  async #standIn({ session, figure, hooksMissing }: Sight, followed: Followed, grew: boolean): Promise<void> {
    if (hooksMissing && !followed.toldMissing) {
      followed.toldMissing = true;
      this.#options.say(session, "its hooks are missing, so it is followed from here");
    }
    const isNew = session.figure?.tokens !== figure?.tokens || session.figure?.source !== figure?.source;
    if (!isNew && !(hooksMissing && grew)) return;
    const reading = followed.follower?.reading ?? null;
    await this.#options.registry.update(session.id, (known) =>
      known
        ? { ...known, figure, reading: figure?.source === "transcript" ? reading : known.reading }
        : undefined,
    );
  }

  async #do(act: WatchAct, sight: Sight, settings: WatchSettings, followed: Followed): Promise<void> {
    const { registry, say, store, cycle, checks } = this.#options;
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
        say(session, `its window is past ${percent(act.level)}`);
        if (session.pane)
          await announce(session.pane, `Baton: this session's window is past ${percent(act.level)}.`);
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
        return this.#type(sight, followed, "it could not be asked for a handoff", async () => {
          const at = new Date(this.#now()).toISOString();
          const { figure } = sight;
          const seen = figure ? { percent: Math.floor(figure.percent), turns: figure.turns } : undefined;
          const isSent = await askInWords(session, followed, act.trigger, { registry, at, seen });
          if (isSent) say(session, "it was asked for a handoff");
        });
      case "facts":
        return this.#type(sight, followed, "its handoff could not be written from facts", async () => {
          const path = await this.#options.writeFromFacts(session);
          if (path !== undefined)
            say(session, `it did not answer, so its handoff was written from facts: ${path}`);
        });
      case "check":
        return this.#type(sight, followed, "it could not be sent a message", async () => {
          const isSent = await sendCheck(session, settings.orchestrator.message, registry);
          if (isSent) await checks.set(session.id, this.#now());
        });
      case "store":
        return this.#type(sight, followed, "its handoff could not be stored", async () => {
          const isStored = await storeAnswer(session, followed, { registry, store, now: this.#now() });
          if (!isStored) return;
          followed.cycledAt = this.#now();
          await cycle(session);
        });
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
}

function placesOf({ id, parent, pane }: OwnSession): string[] {
  return [id, ...(parent === null ? [] : [parent]), ...(pane ? [`${pane.socket} ${pane.id}`] : [])];
}

/** The transcript first, then what the pane shows, then an estimate that says so. */
async function figureOf(
  session: OwnSession,
  follower: TranscriptFollower | undefined,
): Promise<ContextFigure | null> {
  const exact = follower?.figure ?? (session.figure?.source === "transcript" ? session.figure : null);
  if (exact) return exact;
  const shown = session.pane && statusFigure(aroundPrompt((await capture(session.pane)) ?? ""));
  const of = follower?.context ?? { turns: 0, model: undefined };
  if (shown) return figureOfTokens(shown.tokens, shown.window, "status-line", of);
  return follower?.estimate ?? null;
}
