import { clearing, hasGoneOn, mayBeCleared, type TakenUpHandoff, wentOn } from "../record/handoff-state.ts";
import { continueLine } from "../record/own-words.ts";
import { hasSpokenSince } from "../record/transcript-end.ts";
import { hearing, sendCommand, sendLine } from "../terminal/tmux.ts";
import type { Ending } from "./cycle.ts";
import { type Cycle, current, goOn, leaveToPerson, link, NOT_TAKEN_UP, until } from "./cycle-steps.ts";
import { type Successor, startedAfterClear } from "./successor.ts";

/** Clears the session's pane, and sets the session that begins there to work. */
export async function clearPane(cycle: Cycle): Promise<Ending> {
  const { session, begun, limits } = cycle;
  const isClearing = begun.state === "clearing";
  const began = isClearing && (await startedAfterClear(session, begun.documentPath));
  if (began) return linked(cycle, began);
  if (!isClearing || session.ended === null) {
    const typed = await sendCommand(session, "/clear", {
      patienceMs: limits.promptMs,
      before: () => claimed(cycle),
      ...(cycle.signal && { signal: cycle.signal }),
    });
    if (!typed.sent && typed.unwanted) return overtaken(cycle);
    if (!typed.sent) return leaveToPerson(cycle, `it could not be cleared: ${typed.why}`);
  }
  const after = await untilTakenUp(cycle);
  if (after === undefined) return leaveToPerson(cycle, NOT_TAKEN_UP);
  return after === "no hooks" ? withoutHooks(cycle) : goOn(cycle, after);
}

/**
 * Records that the pane is being cleared, unless that would be wrong by now: while its prompt was waited for, the
 * person may have said more, cleared it by hand, or gone to another session.
 */
async function claimed({ registry, session }: Cycle): Promise<boolean> {
  let isOurs = false;
  await registry.update(session.id, async (known) => {
    if (!known || known.ended || !mayBeCleared(known.handoff)) return undefined;
    if (await hasSpokenSince(known)) return { ...known, handoff: wentOn(known.handoff) };
    const handoff = clearing(known.handoff, new Date().toISOString());
    isOurs = handoff !== undefined;
    return handoff && { ...known, handoff };
  });
  return isOurs;
}

async function overtaken(cycle: Cycle): Promise<Ending> {
  const { ended, handoff } = (await current(cycle)) ?? cycle.session;
  if (handoff?.state === "taken-up") return goOn(cycle, handoff);
  return ended && !hasGoneOn(handoff)
    ? leaveToPerson(cycle, "its session has ended")
    : { outcome: "nothing" };
}

/** Long enough for the hook of a session's end to have run. */
const HOOK_MS = 10_000;

/** Resolves once the hook of the next session's start has given it the document, or where no hook runs at all. */
async function untilTakenUp(cycle: Cycle): Promise<TakenUpHandoff | "no hooks" | undefined> {
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
  const { documentPath } = cycle.begun;
  if ((await hearing(session)) === "gone") return leaveToPerson(cycle, NOT_TAKEN_UP);
  const typed = await sendLine(session, continueLine(documentPath), {
    patienceMs: limits.takeUpMs,
    before: async () => (await current(cycle))?.handoff?.state === "clearing",
  });
  if (!typed.sent) return leaveToPerson(cycle, `${NOT_TAKEN_UP}: ${typed.why}`);
  const found = await until(cycle, () => startedAfterClear(session, documentPath));
  return found ? linked(cycle, found) : leaveToPerson(cycle, NOT_TAKEN_UP);
}

async function linked(cycle: Cycle, found: Successor): Promise<Ending> {
  const handoff = await link(cycle, found);
  return handoff ? goOn(cycle, handoff) : { outcome: "taken-up", successor: found.id };
}
