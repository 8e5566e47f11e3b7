import { setTimeout as sleep } from "node:timers/promises";
import { hasGoneOn, isSameHandoff } from "../record/handoff-questions.ts";
import {
  type ClearingHandoff,
  type FailedHandoff,
  failed,
  pending,
  type SessionHandoff,
  type StoredHandoff,
  type TakenUpHandoff,
  takenUp,
} from "../record/handoff-state.ts";
import { note } from "../record/mail.ts";
import { continueLine } from "../record/own-words.ts";
import type { OwnSession } from "../record/session.ts";
import { announce } from "../terminal/tmux.ts";
import { sendLine } from "../terminal/typing.ts";
import type { CycleOptions, Ending, Limits } from "./cycle.ts";
import { writePending } from "./pending.ts";
import { hasBegun, type Successor } from "./successor.ts";

export interface Cycle extends Omit<CycleOptions, "limits"> {
  session: OwnSession;
  /** The session's handoff as it was when the cycle began. */
  begun: StoredHandoff | ClearingHandoff | FailedHandoff;
  limits: Limits;
}

export const NOT_TAKEN_UP = "the next session did not pick it up in time";

/** Records a step of this handoff, unless it does not apply to what is on record by now. True where it was recorded. */
export async function mark(
  { registry, session, begun }: Cycle,
  change: (handoff: SessionHandoff | null, at: string) => SessionHandoff | undefined,
): Promise<boolean> {
  let isMarked = false;
  await registry.update(session.id, (known) => {
    if (!known || !isSameHandoff(known.handoff, begun)) return undefined;
    const handoff = change(known.handoff, new Date().toISOString());
    isMarked = handoff !== undefined;
    return handoff && { ...known, handoff };
  });
  return isMarked;
}

export function current({ registry, session }: Cycle): Promise<OwnSession | undefined> {
  return registry.find(session.id);
}

const LOOK_MS = 100;

/** What a look finds, within the time that a next session has. */
export async function until<T>(cycle: Cycle, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const deadline = Date.now() + cycle.limits.takeUpMs; ; await sleep(LOOK_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline || cycle.signal?.aborted) return undefined;
  }
}

/** Records with both which session continues which. */
export async function link(
  { registry, session, begun }: Cycle,
  { id, record }: Successor,
): Promise<TakenUpHandoff | undefined> {
  if (record) {
    await registry.update(id, (known) =>
      known ? { ...known, parent: known.parent ?? session.id } : { ...record, parent: session.id },
    );
  }
  let handoff: TakenUpHandoff | undefined;
  await registry.update(session.id, (known) => {
    if (!known || !isSameHandoff(known.handoff, begun)) return undefined;
    const { documentPath } = begun;
    handoff = takenUp(known.handoff, { successor: id, documentPath, at: new Date().toISOString() });
    return { ...known, handoff };
  });
  return handoff;
}

/** Sends the line that sets the next session to work, unless somebody has done so already, or is there to say what comes next. */
export async function goOn(
  cycle: Pick<Cycle, "registry" | "limits" | "signal">,
  { successor, documentPath, atRest }: TakenUpHandoff,
): Promise<Ending> {
  if (documentPath === undefined) return { outcome: "nothing" };
  const ending: Ending = { outcome: "taken-up", successor };
  if (atRest) return ending;
  const next = await cycle.registry.find(successor);
  const isWanted = async () => {
    const now = await cycle.registry.find(successor);
    return now !== undefined && now.ended === null && !(await hasBegun(now));
  };
  if (!next?.pane || !(await isWanted())) return ending;
  const typed = await sendLine(next, continueLine(documentPath), {
    patienceMs: cycle.limits.promptMs,
    before: isWanted,
    ...(cycle.signal && { signal: cycle.signal }),
  });
  return typed.sent || typed.unwanted
    ? ending
    : { ...ending, note: `it was not told to continue: ${typed.why}` };
}

export async function leaveToPerson(cycle: Cycle, reason: string): Promise<Ending> {
  const now = (await current(cycle))?.handoff;
  if (!isSameHandoff(now, cycle.begun)) return { outcome: "nothing" };
  if (now?.state === "taken-up") return goOn(cycle, now);
  if (hasGoneOn(now)) return { outcome: "nothing" };
  // Whoever picks it up next goes on from what is on record.
  if (cycle.signal?.aborted) return { outcome: "nothing" };
  const { number, documentPath: document } = cycle.begun;
  const { id: session } = cycle.session;
  const created = new Date().toISOString();
  const file = await writePending(cycle.handoff, { document, number, session, created, reason });
  await mark(cycle, (handoff, at) => pending(handoff, reason, at));
  await say(
    cycle,
    "waits for you",
    `Handoff ${number} waits for you: ${reason}. A new session in this project picks it up with /baton:continue. See ${file}.`,
  );
  return { outcome: "pending", reason };
}

export async function giveUp(cycle: Cycle, reason: string): Promise<Ending> {
  const { begun } = cycle;
  const isNews = begun.state !== "failed" || begun.reason !== reason;
  if (!(await mark(cycle, (handoff, at) => failed(handoff, reason, at)))) return { outcome: "nothing" };
  if (isNews) await say(cycle, "could not continue", `Handoff ${begun.number} is stored, but ${reason}.`);
  return { outcome: "failed", reason };
}

async function say({ session, registry, notify, begun }: Cycle, title: string, text: string): Promise<void> {
  await note(registry, session.id, text);
  if (session.pane) await announce(session.pane, `Baton: ${text}`);
  await notify({ event: "pause", title: `a handoff ${title}`, text, handoff: begun });
}
