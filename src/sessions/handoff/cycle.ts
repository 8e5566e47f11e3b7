import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentConfig, LivingDocumentConfig } from "../../config/config.ts";
import { tryLock } from "../../files/lock.ts";
import { commitOnly, isUnmerged } from "../../git/commit.ts";
import type { Notice } from "../../job/notices/notice.ts";
import { hasGoneOn, isSameHandoff } from "../record/handoff-questions.ts";
import { clearing, isAsked, type SessionHandoff } from "../record/handoff-state.ts";
import { note } from "../record/mail.ts";
import { continueLine } from "../record/own-words.ts";
import type { Registry } from "../record/registry.ts";
import { programIsGone, SESSION_GONE } from "../record/session.ts";
import { clearPane } from "./clear-pane.ts";
import {
  type Cycle,
  current,
  giveUp,
  goOn,
  leaveToPerson,
  link,
  mark,
  NOT_TAKEN_UP,
  until,
} from "./cycle-steps.ts";
import type { Successor } from "./successor.ts";

export interface CycleOptions {
  registry: Registry;
  /** Of the agent of the project. */
  handoff: Pick<AgentConfig["handoff"], "dir" | "autoContinue" | "livingDocument">;
  /** Starts a session that goes on elsewhere, where this one cannot be cleared. */
  elsewhere: Elsewhere;
  /** Reaches a person who is not looking. */
  notify: (notice: HandoffNotice) => Promise<void>;
  limits?: Partial<Limits>;
  signal?: AbortSignal;
}

/** What becomes of a handoff, for a person. */
export interface HandoffNotice extends Omit<Notice, "command"> {
  event: "handoff" | "pause";
  handoff: { number: number; trigger: string; documentPath: string };
  /** The work continues where the person does not see it by themselves. */
  elsewhere?: true;
}

export interface Limits {
  /** For an empty prompt that nobody touches. */
  promptMs: number;
  /** For the hook of a session's end to have run. */
  hookMs: number;
  /** For the next session to have the document. */
  takeUpMs: number;
}

const LIMITS: Limits = { promptMs: 10 * 60_000, hookMs: 10_000, takeUpMs: 60_000 };

/** The two other places in which the next session can run. Each says who it is before it is started. */
export interface Elsewhere {
  /** A window of a terminal, if there is a server of one. */
  window(): Promise<Place | undefined>;
  job(): Place;
}

export interface Place {
  /** For people: `a new tmux window`. */
  name: string;
  /** Known before it starts, where that is possible. */
  id?: string;
  /** `how`: what people should know of the next session. */
  start(line: string, document: string): Promise<{ id: string; how?: string } | { why: string }>;
  /** The session that this place has for the document, once it has begun. */
  begun(handoff: SessionHandoff): Promise<Successor | undefined>;
}

export type Ending =
  /** Nothing was to be done, or another process is doing it. */
  | { outcome: "nothing" | "busy" }
  | { outcome: "taken-up"; successor: string; note?: string }
  | { outcome: "pending" | "failed"; reason: string };

/**
 * Goes on after a session has stored its handoff: clears its pane and sets the next session to work, starts one
 * elsewhere, or leaves it to a person. Every step is on record before it is done, so this can be run again after a crash
 * at any of them. Where the session hands off anew meanwhile, that handoff comes next: whoever else was started for it found
 * this one at work.
 */
export async function runCycle(id: string, options: CycleOptions): Promise<Ending> {
  const { registry } = options;
  if (!(await registry.find(id))) return { outcome: "nothing" };
  using lock = await tryLock(registry.beside("cycles", id));
  if (!lock) return { outcome: "busy" };
  for (;;) {
    const session = await registry.find(id);
    if (!session?.handoff || hasGoneOn(session.handoff)) return { outcome: "nothing" };
    const ending = await onePass(
      { ...options, session, limits: { ...LIMITS, ...options.limits } },
      session.handoff,
    );
    const now = (await registry.find(id))?.handoff;
    const isDone = !now || isSameHandoff(now, session.handoff) || isAsked(now) || options.signal?.aborted;
    if (ending.outcome !== "nothing" || isDone) return ending;
  }
}

async function onePass(cycle: Omit<Cycle, "begun">, begun: SessionHandoff): Promise<Ending> {
  switch (begun.state) {
    case "asked":
    case "pending":
    case "cancelled":
      return { outcome: "nothing" };
    case "taken-up":
      // Where it waited for a person, it is the person who went on, and says how.
      if (begun.reason !== undefined) return { outcome: "nothing" };
      return goOn(cycle, begun);
    case "stored":
    case "clearing":
    case "failed":
      return passOn({ ...cycle, begun });
  }
}

async function passOn(cycle: Cycle): Promise<Ending> {
  const { session, handoff, elsewhere } = cycle;
  const problem = handoff.livingDocument && (await uncommitted(session.project, handoff.livingDocument));
  if (problem) return giveUp(cycle, problem);
  if (session.kind !== "cli") {
    const where = session.kind === "editor" ? "an editor" : "a browser";
    return leaveToPerson(cycle, `a session in ${where} cannot be started for you`);
  }
  if (!handoff.autoContinue) return leaveToPerson(cycle, "handoff.auto_continue_cli is false");
  if (session.pane) return inItsPane(cycle);
  if (cycle.begun.atRest)
    return leaveToPerson(cycle, "you asked for it: /clear, and the session that begins here has it");
  // Whoever ended it wants no other to begin behind their back, and nothing tells any more how it worked.
  if (cycle.begun.state === "stored" && programIsGone(session)) return leaveToPerson(cycle, SESSION_GONE);
  const place = (await elsewhere.window()) ?? elsewhere.job();
  return inAnotherPlace(cycle, place);
}

async function inItsPane(cycle: Cycle): Promise<Ending> {
  const ending = await clearPane(cycle);
  if (ending.outcome !== "taken-up") return ending;
  const { begun, notify } = cycle;
  const text = `Handoff ${begun.number} is in ${begun.documentPath}; session ${ending.successor} continues in the same pane.`;
  await notify({ event: "handoff", title: `handoff ${begun.number}`, text, handoff: begun });
  return ending;
}

/** What stands in the way of having the living document safe before anything is cleared. */
async function uncommitted(
  folder: string,
  { path, autoCommit, commitHooks }: LivingDocumentConfig,
): Promise<string | undefined> {
  if (await isUnmerged(folder, path)) {
    return `${path} has a merge conflict, so nothing was cleared. Resolve it, then hand off again`;
  }
  if (!autoCommit || !existsSync(join(folder, path))) return undefined;
  return commitOnly(folder, [path], "docs: handoff checkpoint", commitHooks);
}

async function inAnotherPlace(cycle: Cycle, place: Place): Promise<Ending> {
  const { begun } = cycle;
  let why = NOT_TAKEN_UP;
  // A start that was on record may have happened: a second one would do the work twice.
  if (begun.state !== "clearing") {
    if (!(await mark(cycle, (handoff, at) => clearing(handoff, at, place.id)))) return { outcome: "nothing" };
    const started = await place.start(continueLine(begun.documentPath), begun.documentPath);
    if ("why" in started) return leaveToPerson(cycle, started.why);
    await mark(cycle, (handoff, at) => clearing(handoff, at, started.id));
    await announceNext(cycle, place, started);
    why = `${place.name} did not pick it up in time`;
  }
  const found = await until(cycle, async () => {
    const now = (await current(cycle))?.handoff;
    return now && isSameHandoff(now, begun) ? place.begun(now) : undefined;
  });
  if (!found) return leaveToPerson(cycle, why);
  await link(cycle, found);
  return { outcome: "taken-up", successor: found.id };
}

/** At once: nobody sees by themselves that their session goes on elsewhere. */
async function announceNext(
  { begun, session, registry, notify }: Cycle,
  { name }: Place,
  { id, how }: { id: string; how?: string },
): Promise<void> {
  const rest = how === undefined ? "" : ` ${how}`;
  const text = `Handoff ${begun.number} continues in ${name} (${id}).${rest} There is nothing more to do here.`;
  await note(registry, session.id, text);
  await notify({
    event: "handoff",
    title: `a session continues in ${name}`,
    text,
    handoff: begun,
    elsewhere: true,
  });
}
