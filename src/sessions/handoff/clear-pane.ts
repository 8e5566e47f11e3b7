import { hasGoneOn, isOnItsWay, isSameHandoff, mayBeCleared } from "../record/handoff-questions.ts";
import { clearing, type Hindrance, type TakenUpHandoff, waiting, wentOn } from "../record/handoff-state.ts";
import { waitingFor } from "../record/handoff-words.ts";
import { note } from "../record/mail.ts";
import { continueLine } from "../record/own-words.ts";
import { SESSION_GONE } from "../record/session.ts";
import { hasSpokenSince, wordsLostSince } from "../record/transcript-end.ts";
import { announce, hearing } from "../terminal/tmux.ts";
import { giveBack, sendCommand, sendLine } from "../terminal/typing.ts";
import type { Ending } from "./cycle.ts";
import { type Cycle, current, goOn, leaveToPerson, link, mark, NOT_TAKEN_UP, until } from "./cycle-steps.ts";
import { type Successor, startedAfterClear } from "./successor.ts";

const CLEAR = "/clear";
/** Why a session ended, in its program's words. */
const CLEARED = "clear";

/** Clears the session's pane, and sets the session that begins there to work. */
export async function clearPane(cycle: Cycle): Promise<Ending> {
  const { session, begun } = cycle;
  const isClearing = begun.state === "clearing";
  const began = isClearing && (await startedAfterClear(session, begun.documentPath));
  if (began) return linked(cycle, began);
  let at = isClearing ? Date.parse(begun.at) : undefined;
  for (let isTyped = isClearing && session.ended !== null; ; isTyped = false) {
    if (at !== undefined) await giveLostWordsBack(cycle, at);
    if (!isTyped) {
      const typed = await typeClear(cycle);
      if (!("at" in typed)) return typed;
      at = typed.at;
    }
    const after = await untilTakenUp(cycle, at ?? Date.now());
    switch (after) {
      case "mistaken":
        continue;
      case "overtaken":
        return { outcome: "nothing" };
      case "no hooks":
        return withoutHooks(cycle);
      case undefined:
        return leaveToPerson(cycle, NOT_TAKEN_UP);
      default:
        return goOn(cycle, after);
    }
  }
}

/** When it was typed, or what came of the attempt. */
async function typeClear(cycle: Cycle): Promise<{ at: number } | Ending> {
  const { session, limits, signal } = cycle;
  let at = 0;
  const typed = await sendCommand(session, CLEAR, {
    patienceMs: limits.promptMs,
    before: async () => {
      at = Date.now();
      return claimed(cycle);
    },
    waits: (hindrance) => tellWaiting(cycle, hindrance),
    ...(signal && { signal }),
  });
  if (typed.sent) return { at };
  return typed.unwanted ? overtaken(cycle) : leaveToPerson(cycle, `it could not be cleared: ${typed.why}`);
}

/** Until then the person only knows that it is stored. */
async function tellWaiting(cycle: Cycle, hindrance: Hindrance): Promise<void> {
  const { session, begun } = cycle;
  const isOurs = await mark(cycle, (handoff) => waiting(handoff, hindrance));
  if (!isOurs || !session.pane || hindrance === "typing") return;
  const text = `handoff ${begun.number} is stored. A fresh session continues it here; it waits ${waitingFor(hindrance)}.`;
  await announce(session.pane, `Baton: ${text}`);
}

/** A person who types behind the command and presses Enter loses what they typed: it is put at their prompt again. */
async function giveLostWordsBack({ session, registry, limits, signal }: Cycle, since: number): Promise<void> {
  const words = await wordsLostSince(session, CLEAR, since);
  if (words === undefined) return;
  const patienceMs = limits.promptMs;
  const isBack = await giveBack(session, words, { patienceMs, ...(signal && { signal }) });
  const text = isBack
    ? "What you typed while Baton was about to clear this session is at your prompt again."
    : `What you typed while Baton was about to clear this session was not sent: ${words}`;
  if (session.pane) await announce(session.pane, `Baton: ${text}`);
  if (!isBack) await note(registry, session.id, text);
}

/**
 * Records that the pane is being cleared, unless that would be wrong by now: while its prompt was waited for, the
 * person may have said more, cleared it by hand, or gone to another session, or the session may have handed off anew.
 */
async function claimed({ registry, session, begun }: Cycle): Promise<boolean> {
  let isOurs = false;
  await registry.update(session.id, async (known) => {
    if (!known || known.ended || !isSameHandoff(known.handoff, begun) || !mayBeCleared(known.handoff))
      return undefined;
    if (await hasSpokenSince(known)) return { ...known, handoff: wentOn(known.handoff) };
    const handoff = clearing(known.handoff, new Date().toISOString());
    isOurs = handoff !== undefined;
    return handoff && { ...known, handoff };
  });
  return isOurs;
}

async function overtaken(cycle: Cycle): Promise<{ at: number } | Ending> {
  const { ended, handoff } = (await current(cycle)) ?? cycle.session;
  if (!isSameHandoff(handoff, cycle.begun)) return { outcome: "nothing" };
  if (handoff?.state === "taken-up") return goOn(cycle, handoff);
  // By hand, or by an attempt that was cut off: the next session has begun, and its hook is about to say so.
  if (ended?.reason === CLEARED && isOnItsWay(handoff)) return { at: Date.parse(ended.at) };
  return ended && !hasGoneOn(handoff) ? leaveToPerson(cycle, SESSION_GONE) : { outcome: "nothing" };
}

/**
 * Resolves once the hook of the next session's start has given it the document, or where no hook runs at all. `mistaken`:
 * the command was not heard as one, because a person's words were sent with it.
 */
async function untilTakenUp(
  cycle: Cycle,
  since: number,
): Promise<TakenUpHandoff | "no hooks" | "mistaken" | "overtaken" | undefined> {
  const patience = Date.now() + Math.min(cycle.limits.hookMs, cycle.limits.takeUpMs);
  return until(cycle, async () => {
    const now = await current(cycle);
    if (now && !isSameHandoff(now.handoff, cycle.begun)) return "overtaken";
    if (now?.handoff?.state === "taken-up") return now.handoff;
    if (now?.ended !== null) return undefined;
    if ((await wordsLostSince(now, CLEAR, since)) !== undefined) return "mistaken";
    return Date.now() > patience ? "no hooks" : undefined;
  });
}

/** Where hooks are missing nobody tells the next session, so it is told to read the document itself. */
async function withoutHooks(cycle: Cycle): Promise<Ending> {
  const { session, limits } = cycle;
  const { documentPath } = cycle.begun;
  if ((await hearing(session)) === "gone") return leaveToPerson(cycle, NOT_TAKEN_UP);
  const typed = await sendLine(session, continueLine(documentPath), {
    patienceMs: limits.takeUpMs,
    before: async () => {
      const handoff = (await current(cycle))?.handoff;
      return handoff?.state === "clearing" && isSameHandoff(handoff, cycle.begun);
    },
  });
  if (!typed.sent) return leaveToPerson(cycle, `${NOT_TAKEN_UP}: ${typed.why}`);
  const found = await until(cycle, () => startedAfterClear(session, documentPath));
  return found ? linked(cycle, found) : leaveToPerson(cycle, NOT_TAKEN_UP);
}

async function linked(cycle: Cycle, found: Successor): Promise<Ending> {
  const handoff = await link(cycle, found);
  return handoff ? goOn(cycle, handoff) : { outcome: "taken-up", successor: found.id };
}
