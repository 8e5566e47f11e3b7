import { compactsAt } from "../context/policy.ts";
import { SECTIONS } from "../handoff/account.ts";
import { sectionNamed, sectionsOf } from "../handoff/markdown.ts";
import type { HandoffTrigger } from "../jobs/events.ts";
import { liveness, type ProcessIdentity, thisProcess } from "../processes/owner.ts";
import { Eye, figureOfTokens, hooksAreMissing } from "./eye.ts";
import { placeOf } from "./handoff-place.ts";
import { isHandedOff } from "./hook.ts";
import type { Registry } from "./registry.ts";
import { Roster } from "./roster.ts";
import { aroundPrompt, promptOn } from "./screen.ts";
import type { ContextFigure, OwnSession } from "./session.ts";
import { statusFigure } from "./status-line.ts";
import { announce, capture, sendLine } from "./tmux.ts";
import { type Sight, type WatchAct, type WatchSettings, watchDecision } from "./watch-decision.ts";

export interface WatchOptions {
  registry: Registry;
  settingsOf: (project: string) => Promise<WatchSettings>;
  /** Goes on after a stored handoff. Must not throw. */
  cycle: (session: OwnSession) => Promise<void>;
  /** Stores what a session without tools answered. Must not throw. */
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
  /** Typing takes time, and the others must not wait for it. */
  typing?: Promise<void>;
}

/** How long a prompt may take to be free before the next look tries again. */
const PATIENCE_MS = 3_000;
const LEAST_SECTIONS = 3;

/** Looks after all registered sessions of a user. It spends no tokens, and stands in where hooks are missing. */
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
    const open = sessions.filter(isOpen);
    const names = new Set(open.map(({ id }) => id));
    for (const id of this.#followed.keys()) if (!names.has(id)) this.#followed.delete(id);
    for (const session of open) {
      try {
        await this.#lookAt(session);
      } catch (error) {
        this.#failed(session, `could not be looked at: ${error instanceof Error ? error.message : error}`);
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
    const sight = await this.#sight(session, followed);
    const isUnseen = sight.figure !== null && sight.figure.source !== "transcript";
    if (sight.hooksMissing || isUnseen) await this.#standIn(sight, followed, grew);
    for (const act of watchDecision(sight, settings, this.#now()))
      await this.#do(act, sight, settings, followed);
  }

  #follow(session: OwnSession): Followed {
    const followed = this.#followed.get(session.id) ?? { eye: undefined };
    this.#followed.set(session.id, followed);
    const { transcript, reading } = session;
    if (transcript !== null && followed.eye?.transcript !== transcript)
      followed.eye = new Eye(transcript, reading);
    return followed;
  }

  async #sight(
    session: OwnSession,
    { eye, stallToldAt, cycledAt, toldFull = false }: Followed,
  ): Promise<Sight> {
    const now = this.#now();
    const isAsked = session.handoff?.state === "asked";
    const figure = await figureOf(session, eye);
    return {
      session,
      alive: session.ended === null && isAlive(session, this.#here),
      figure,
      compactsAt: figure ? compactsAt(figure.window, process.env) : undefined,
      hooksMissing: eye !== undefined && hooksAreMissing(session, eye, now),
      owedSince: eye?.owesAnswer ? eye.changedAt : undefined,
      checkedAt: this.#options.checks.of(session.id) ?? this.#options.checks.of(session.parent ?? ""),
      stallToldAt,
      cycledAt,
      fullTold: toldFull,
      answered: isAsked && eye !== undefined && !eye.owesAnswer && isAccount(eye.answer),
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
    const reading = followed.eye?.reading ?? null;
    await this.#options.registry.update(session.id, (known) =>
      known
        ? { ...known, figure, reading: figure?.source === "transcript" ? reading : known.reading }
        : undefined,
    );
  }

  async #do(act: WatchAct, sight: Sight, settings: WatchSettings, followed: Followed): Promise<void> {
    const { registry, say, cycle, checks, store } = this.#options;
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
        return this.#type(followed, () => this.#ask(session, act.trigger));
      case "check":
        return this.#type(followed, async () => {
          const typed = await sendLine(session, settings.orchestrator.message, { patienceMs: PATIENCE_MS });
          if (!typed.sent) return;
          await checks.set(session.id, this.#now());
        });
      case "store":
        return this.#type(followed, async () => {
          const { isStored, missing } = await store(session, followed.eye?.answer ?? "");
          if (missing) await sendLine(session, missing, { patienceMs: PATIENCE_MS });
          if (!isStored) return;
          followed.cycledAt = this.#now();
          await cycle(session);
        });
    }
  }

  /** One thing at a time is typed into a session. */
  #type(followed: Followed, work: () => Promise<void>): void {
    if (followed.typing) return;
    followed.typing = work().finally(() => {
      delete followed.typing;
    });
  }

  /** On record first: whoever looks next must not ask a second time. */
  async #ask(session: OwnSession, trigger: HandoffTrigger): Promise<void> {
    const { registry, say } = this.#options;
    const at = new Date(this.#now()).toISOString();
    const parent = session.parent === null ? undefined : await registry.find(session.parent);
    let isOurs = false;
    await registry.update(session.id, (known) => {
      if (!known || isHandedOff(known)) return undefined;
      isOurs = true;
      const { number, previous } = placeOf(known, parent);
      const documentPath = previous === null ? {} : { documentPath: previous };
      return { ...known, handoff: { state: "asked", at, trigger, number, ...documentPath } };
    });
    if (!isOurs) return;
    const typed = await sendLine(session, requestLine(), { patienceMs: PATIENCE_MS });
    if (typed.sent) return say(session, "it was asked for a handoff");
    await registry.update(session.id, (known) =>
      known?.handoff?.state === "asked" && known.handoff.at === at ? { ...known, handoff: null } : undefined,
    );
  }
}

/** Short, because all of it stands at a person's prompt for a moment. */
function requestLine(): string {
  const headings = SECTIONS.map(({ title }) => `## ${title}`).join(", ");
  return [
    "<handoff-request> The window of this session is nearly full, and a fresh session shall go on with the work: it knows",
    "only what you write now. Call the tool submit_handoff of Baton once, and no other tool. If you do not have it,",
    `answer in Markdown with these headings: ${headings}. Be exact and short. </handoff-request>`,
  ].join(" ");
}

/** Ended ones only matter while their handoff is on its way. */
function isOpen({ ended, handoff }: OwnSession): boolean {
  const isUnderWay =
    handoff?.state === "stored" || handoff?.state === "clearing" || handoff?.state === "taken-up";
  return ended === null || isUnderWay;
}

function isAlive({ process }: OwnSession, here: ProcessIdentity): boolean {
  return process === null || liveness({ ...here, ...process }, here) !== "dead";
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

/** An answer in words that has enough of the sections to be a handoff. */
function isAccount(answer: string): boolean {
  if (answer === "") return false;
  const known = new Set(sectionsOf(answer).flatMap(({ title }) => sectionNamed(title) ?? []));
  return known.size >= Math.min(LEAST_SECTIONS, SECTIONS.length);
}
