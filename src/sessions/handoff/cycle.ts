import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig, LivingDocumentConfig } from "../../config/config.ts";
import { tryLock } from "../../files/lock.ts";
import { commitOnly, isUnmerged } from "../../git/commit.ts";
import type { Notice } from "../../job/notice.ts";
import { note } from "../record/mail.ts";
import type { Registry } from "../record/registry.ts";
import { isOnItsWay, type OwnSession, type SessionHandoff } from "../record/session.ts";
import { hasSpokenSince } from "../record/spoken-since.ts";
import { announce, hearing, sendLine } from "../terminal/tmux.ts";
import { writePending } from "./pending.ts";
import { hasBegun, type Successor, startedAfterClear } from "./successor.ts";

export interface CycleOptions {
  registry: Registry;
  /** Of the agent of the project. */
  handoff: Pick<AgentConfig["handoff"], "dir" | "autoContinue" | "livingDocument">;
  /** Starts a session that goes on elsewhere, where this one cannot be cleared. */
  elsewhere: Elsewhere;
  /** Reaches a person who is not looking. */
  notify: (notice: Notice) => Promise<void>;
  limits?: Partial<Limits>;
  signal?: AbortSignal;
}

export interface Limits {
  /** For an empty prompt that nobody touches. */
  promptMs: number;
  /** For the next session to have the document. */
  takeUpMs: number;
}

const LIMITS: Limits = { promptMs: 10 * 60_000, takeUpMs: 60_000 };

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
  start(line: string, document: string): Promise<{ id: string } | { why: string }>;
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
 * at any of them.
 */
export async function runCycle(id: string, options: CycleOptions): Promise<Ending> {
  const { registry } = options;
  if (!(await registry.find(id))) return { outcome: "nothing" };
  using lock = await tryLock(registry.beside("cycles", id));
  if (!lock) return { outcome: "busy" };
  const session = await registry.find(id);
  if (!session?.handoff?.documentPath) return { outcome: "nothing" };
  const cycle = { ...options, session, limits: { ...LIMITS, ...options.limits } };
  if (session.handoff.wentOn) return { outcome: "nothing" };
  switch (session.handoff.state) {
    case "asked":
    case "pending":
      return { outcome: "nothing" };
    case "taken-up":
      // Where it waited for a person, it is the person who went on, and says how.
      if (session.handoff.reason !== undefined) return { outcome: "nothing" };
      return await goOn(cycle, session.handoff);
    case "stored":
    case "clearing":
    case "failed":
      return await passOn(cycle);
  }
}

interface Cycle extends Omit<CycleOptions, "limits"> {
  session: OwnSession;
  limits: Limits;
}

async function passOn(cycle: Cycle): Promise<Ending> {
  const { session, handoff, elsewhere } = cycle;
  const problem = handoff.livingDocument && (await uncommitted(session.project, handoff.livingDocument));
  if (problem) return failed(cycle, problem);
  if (session.kind !== "cli") {
    const where = session.kind === "editor" ? "an editor" : "a browser";
    return pending(cycle, `a session in ${where} cannot be started for you`);
  }
  if (!handoff.autoContinue) return pending(cycle, "handoff.auto_continue_cli is false");
  if (session.pane) return inItsPane(cycle);
  const place = (await elsewhere.window()) ?? elsewhere.job();
  return inAnotherPlace(cycle, place);
}

/** What stands in the way of having the living document safe before anything is cleared. */
async function uncommitted(
  folder: string,
  { path, autoCommit }: LivingDocumentConfig,
): Promise<string | undefined> {
  if (await isUnmerged(folder, path)) {
    return `${path} has a merge conflict, so nothing was cleared. Resolve it, then hand off again`;
  }
  if (!autoCommit || !existsSync(join(folder, path))) return undefined;
  return commitOnly(folder, [path], "docs: handoff checkpoint");
}

async function inItsPane(cycle: Cycle): Promise<Ending> {
  const { session, limits } = cycle;
  const { state, documentPath = "" } = session.handoff ?? {};
  const began = state === "clearing" && (await startedAfterClear(session, documentPath));
  if (began) return linked(cycle, began);
  if (state !== "clearing" || session.ended === null) {
    const typed = await sendLine(session, "/clear", {
      patienceMs: limits.promptMs,
      before: () => claimed(cycle),
      ...(cycle.signal && { signal: cycle.signal }),
    });
    if (!typed.sent && typed.unwanted) return overtaken(cycle);
    if (!typed.sent) return pending(cycle, `it could not be cleared: ${typed.why}`);
  }
  const after = await takenUp(cycle);
  if (after === undefined) return pending(cycle, NOT_TAKEN_UP);
  return after === "no hooks" ? withoutHooks(cycle) : goOn(cycle, after);
}

/**
 * Records that the pane is being cleared, unless that would be wrong by now: while its prompt was waited for, the
 * person may have said more, cleared it by hand, or gone to another session.
 */
async function claimed({ registry, session }: Cycle): Promise<boolean> {
  let isOurs = false;
  await registry.update(session.id, async (known) => {
    isOurs = known !== undefined && mayBeCleared(known);
    if (!isOurs || !known?.handoff) return undefined;
    if (await hasSpokenSince(known)) {
      isOurs = false;
      return { ...known, handoff: { ...known.handoff, wentOn: true } };
    }
    return { ...known, handoff: withNews(known.handoff, { state: "clearing" }) };
  });
  return isOurs;
}

function mayBeCleared({ ended, handoff }: OwnSession): boolean {
  if (ended || !handoff || handoff.wentOn) return false;
  return isOnItsWay(handoff) || handoff.state === "failed";
}

async function overtaken(cycle: Cycle): Promise<Ending> {
  const { ended, handoff } = (await current(cycle)) ?? cycle.session;
  if (handoff?.state === "taken-up") return goOn(cycle, handoff);
  return ended && !handoff?.wentOn ? pending(cycle, "its session has ended") : { outcome: "nothing" };
}

const NOT_TAKEN_UP = "the next session did not pick it up in time";

/** Long enough for the hook of a session's end to have run. */
const HOOK_MS = 10_000;

/** Resolves once the hook of the next session's start has given it the document, or where no hook runs at all. */
async function takenUp(cycle: Cycle): Promise<SessionHandoff | "no hooks" | undefined> {
  const patience = Date.now() + Math.min(HOOK_MS, cycle.limits.takeUpMs);
  return until(cycle, async () => {
    const now = await current(cycle);
    if (now?.handoff?.state === "taken-up") return now.handoff;
    return now?.ended === null && Date.now() > patience ? "no hooks" : undefined;
  });
}

/** Where hooks are missing nobody tells the next session, so it is told to read the document itself. */
async function withoutHooks(cycle: Cycle): Promise<Ending> {
  const { session, limits } = cycle;
  const { handoff } = session;
  if (!handoff?.documentPath || (await hearing(session)) === "gone") return pending(cycle, NOT_TAKEN_UP);
  const typed = await sendLine(session, goOnLine(handoff.documentPath), {
    patienceMs: limits.takeUpMs,
    before: async () => (await current(cycle))?.handoff?.state === "clearing",
  });
  if (!typed.sent) return pending(cycle, `${NOT_TAKEN_UP}: ${typed.why}`);
  const path = handoff.documentPath;
  const found = await until(cycle, () => startedAfterClear(session, path));
  return found ? linked(cycle, found) : pending(cycle, NOT_TAKEN_UP);
}

async function linked(cycle: Cycle, found: Successor): Promise<Ending> {
  await link(cycle.registry, cycle.session, found);
  const { handoff } = (await current(cycle)) ?? cycle.session;
  return handoff ? goOn(cycle, handoff) : { outcome: "taken-up", successor: found.id };
}

/** Sends the line that sets the next session to work, unless somebody has done so already. */
async function goOn(cycle: Cycle, { successor, documentPath = "" }: SessionHandoff): Promise<Ending> {
  if (!successor) return { outcome: "nothing" };
  const next = await cycle.registry.find(successor);
  const ending: Ending = { outcome: "taken-up", successor };
  const isWanted = async () => {
    const now = await cycle.registry.find(successor);
    return now !== undefined && now.ended === null && !(await hasBegun(now));
  };
  if (!next?.pane || !(await isWanted())) return ending;
  const typed = await sendLine(next, goOnLine(documentPath), {
    patienceMs: cycle.limits.promptMs,
    before: isWanted,
    ...(cycle.signal && { signal: cycle.signal }),
  });
  return typed.sent || typed.unwanted
    ? ending
    : { ...ending, note: `it was not told to go on: ${typed.why}` };
}

/** Right also where the document is not in the window yet. */
export function goOnLine(document: string): string {
  return `Go on with the work from the handoff document ${document}. Read it first if it is not in your context yet.`;
}

async function inAnotherPlace(cycle: Cycle, place: Place): Promise<Ending> {
  const { session, registry } = cycle;
  const { handoff } = session;
  if (!handoff?.documentPath) return { outcome: "nothing" };
  const began = handoff.state === "clearing";
  let why = NOT_TAKEN_UP;
  // A start that was on record may have happened: a second one would do the work twice.
  if (!began) {
    await mark(cycle, { state: "clearing", ...(place.id && { successor: place.id }) });
    const started = await place.start(goOnLine(handoff.documentPath), handoff.documentPath);
    if ("why" in started) return pending(cycle, started.why);
    await mark(cycle, { state: "clearing", successor: started.id });
    why = `${place.name} did not pick it up in time`;
  }
  const found = await until(cycle, async () => {
    const now = (await current(cycle))?.handoff;
    return now && place.begun(now);
  });
  if (!found) return pending(cycle, why);
  await link(registry, session, found);
  const text = `Handoff ${handoff.number} goes on in ${place.name} (${found.id}). Nothing more is to be done here.`;
  await note(registry, session.id, text);
  return { outcome: "taken-up", successor: found.id };
}

/** Records with both which session continues which. */
async function link(registry: Registry, session: OwnSession, { id, record }: Successor): Promise<void> {
  if (record) {
    await registry.update(id, (known) =>
      known ? { ...known, parent: known.parent ?? session.id } : { ...record, parent: session.id },
    );
  }
  await registry.update(session.id, (known) =>
    known?.handoff
      ? { ...known, handoff: { ...known.handoff, state: "taken-up", successor: id } }
      : undefined,
  );
}

async function pending(cycle: Cycle, reason: string): Promise<Ending> {
  const { session, handoff } = cycle;
  const now = (await current(cycle))?.handoff;
  if (now?.state === "taken-up") return goOn(cycle, now);
  if (now?.wentOn) return { outcome: "nothing" };
  // Whoever picks it up next goes on from what is on record.
  if (cycle.signal?.aborted) return { outcome: "nothing" };
  const { documentPath = "", number = 1 } = session.handoff ?? {};
  const file = await writePending(handoff.dir, {
    document: documentPath,
    number,
    session: session.id,
    created: new Date().toISOString(),
    reason,
  });
  await mark(cycle, { state: "pending", reason });
  await say(cycle, "waits for you", `Handoff ${number} waits for you: ${reason}. See ${file}.`);
  return { outcome: "pending", reason };
}

async function failed(cycle: Cycle, reason: string): Promise<Ending> {
  const { handoff } = cycle.session;
  const isNews = handoff?.state !== "failed" || handoff.reason !== reason;
  await mark(cycle, { state: "failed", reason });
  if (isNews) await say(cycle, "could not go on", `Handoff ${handoff?.number} is stored, but ${reason}.`);
  return { outcome: "failed", reason };
}

async function say({ session, registry, notify }: Cycle, title: string, text: string): Promise<void> {
  await note(registry, session.id, text);
  if (session.pane) await announce(session.pane, `Baton: ${text}`);
  await notify({ event: "pause", title: `A handoff ${title}`, text });
}

/** Never over what the next session's hook has recorded meanwhile. */
async function mark({ registry, session }: Cycle, change: Partial<SessionHandoff>): Promise<void> {
  await registry.update(session.id, (known) => {
    if (!known?.handoff || known.handoff.state === "taken-up") return undefined;
    return { ...known, handoff: withNews(known.handoff, change) };
  });
}

/** Why it stood as it did is over with that. */
function withNews(
  { reason: _reason, ...handoff }: SessionHandoff,
  change: Partial<SessionHandoff>,
): SessionHandoff {
  return { ...handoff, at: new Date().toISOString(), ...change };
}

function current({ registry, session }: Cycle): Promise<OwnSession | undefined> {
  return registry.find(session.id);
}

const LOOK_MS = 100;

/** What a look finds, within the time that a next session has. */
async function until<T>(cycle: Cycle, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const deadline = Date.now() + cycle.limits.takeUpMs; ; await sleep(LOOK_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline || cycle.signal?.aborted) return undefined;
  }
}
