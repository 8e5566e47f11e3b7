import { promptOn } from "../../agents/claude/own/prompt-screen.ts";
import { isAccount } from "../../handoff/markdown.ts";
import { requestLine } from "../../handoff/request.ts";
import { stampOf } from "../hooks/settings.ts";
import { isAskedSince, isCancelledSince, isHandedOff } from "../record/handoff-questions.ts";
import {
  asked,
  type HandoffPlace,
  isAsked,
  placeOf,
  type Seen,
  type SessionHandoff,
} from "../record/handoff-state.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import { capture } from "../terminal/tmux.ts";
import { sendLine } from "../terminal/typing.ts";
import type { TranscriptFollower } from "./transcript-follower.ts";
import type { WatchOptions } from "./watch.ts";

/** What is known of a session that is asked for its handoff at its prompt, and answers in words. */
export interface Talk {
  follower: TranscriptFollower | undefined;
  /** When it was asked, by its record. What it said before that is no answer. */
  askedAt?: string;
  /** The answer that was last tried to be stored. */
  tried?: { what: string; at: number };
}

/** How long a prompt may take to be free before the next look tries again. */
const PATIENCE_MS = 3_000;
/** How long to leave an answer alone that could not be stored. */
const STORE_AGAIN_MS = 10 * 60_000;
/** Without a pane only silence tells that a turn is over. */
const SILENCE_MS = 15_000;

/** On record right before it is typed: whoever looks next must not ask a second time. */
export async function askInWords(
  session: OwnSession,
  talk: Talk,
  trigger: HandoffPlace["trigger"],
  { registry, at, seen }: { registry: Registry; at: string; seen: Seen | undefined },
): Promise<boolean> {
  const parent = session.parent === null ? undefined : await registry.find(session.parent);
  let earlier: SessionHandoff | null = null;
  const claim = async () => {
    const claimed = await registry.update(session.id, (known) => {
      // Asked again, it still has the request that was looked at.
      const isAgain =
        isAskedSince(known?.handoff, session.handoff?.at) ||
        isCancelledSince(known?.handoff, session.handoff?.at);
      if (!known || (isHandedOff(known.handoff) && !isAgain)) return undefined;
      earlier = known.handoff;
      const { number, previous } = placeOf(known.handoff, parent?.handoff);
      return { ...known, handoff: asked({ number, previous, trigger }, at, { seen, before: known.handoff }) };
    });
    const isOurs = isAskedSince(claimed?.handoff, at);
    if (isOurs) talk.follower?.forgetAnswer();
    return isOurs;
  };
  const { sent } = await sendLine(session, requestLine(), { patienceMs: PATIENCE_MS, before: claim });
  if (!sent) {
    await registry.update(session.id, (known) =>
      known && isAskedSince(known.handoff, at) ? { ...known, handoff: earlier } : undefined,
    );
  }
  return sent;
}

/** Sends a message, unless the session has handed off while its prompt was waited for. */
export async function sendCheck(session: OwnSession, message: string, registry: Registry): Promise<boolean> {
  const before = () => isStill(session.handoff?.state, session, registry);
  const { sent } = await sendLine(session, message, { patienceMs: PATIENCE_MS, before });
  return sent;
}

async function isStill(
  state: SessionHandoff["state"] | undefined,
  { id }: OwnSession,
  registry: Registry,
): Promise<boolean> {
  const known = await registry.find(id);
  return known?.ended === null && known.handoff?.state === state;
}

/** A hook's request is nobody's words in the transcript, so what was said before it looks like an answer. */
export function forgetEarlierWords({ handoff }: OwnSession, talk: Talk): void {
  if (!isAsked(handoff) || talk.askedAt === handoff.at) return;
  talk.askedAt = handoff.at;
  if (!talk.follower?.answersRequest) talk.follower?.forgetAnswer();
}

/** Whether it has answered in words, and its turn is over: until then the tool may still be called. */
export async function hasAnswered(
  session: OwnSession,
  { follower, tried }: Talk,
  now: number,
): Promise<boolean> {
  if (!isAsked(session.handoff) || !follower?.saidLast || !isAccount(follower.answer)) return false;
  const isTried = tried !== undefined && tried.what === attempt(session, follower);
  if (isTried && now - tried.at < STORE_AGAIN_MS) return false;
  if (session.pane) return promptOn((await capture(session.pane)) ?? "").state !== "working";
  return now - follower.changedAt > SILENCE_MS;
}

/** Has what it answered stored, or tells it what that lacks. True once it is stored. */
export async function storeAnswer(
  session: OwnSession,
  talk: Talk,
  { registry, store, now }: Pick<WatchOptions, "registry" | "store"> & { now: number },
): Promise<boolean> {
  const { follower } = talk;
  if (!follower) return false;
  talk.tried = { what: attempt(session, follower), at: now };
  const { isStored, missing } = await store(session, follower.answer);
  if (missing) {
    // A new request is on record now. This answer counts for it too: it is completed from facts where no better one comes.
    const request = (await registry.find(session.id))?.handoff;
    if (request) talk.askedAt = request.at;
    const before = () => isStill("asked", session, registry);
    await sendLine(session, missing, { patienceMs: PATIENCE_MS, before });
  }
  return isStored;
}

/** The same for as long as it makes no sense to try again. */
function attempt({ project }: OwnSession, { answer }: TranscriptFollower): string {
  return `${stampOf(project)}\n${answer}`;
}
