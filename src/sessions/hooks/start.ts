import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import type { Surroundings } from "../../agents/claude/own/surroundings.ts";
import { isCutOff, isForTheNext, isOnItsWay } from "../record/handoff-questions.ts";
import { afterCompaction } from "../record/handoff-state.ts";
import { type OwnSession, PROCESS_GONE, programIsGone } from "../record/session.ts";
import type { Figured } from "../watch/figure.ts";
import type { HookSettings } from "./settings.ts";

export interface Start {
  input: HookInput;
  around: Surroundings;
  process: OwnSession["process"];
  project: string;
  settings: HookSettings;
  figured: Figured;
  now: string;
}

/** The record of a session that has begun, was resumed, or was compacted; or whose first sign is another hook. */
export function startedRecord(known: OwnSession | undefined, start: Start): OwnSession {
  const { input, around, process, project, settings, figured, now } = start;
  const before = input.event === "start" && input.source === "compact" ? inNewWindow(known) : known;
  const mode = input.permissionMode ?? before?.permissionMode;
  return {
    id: input.session,
    program: "claude",
    kind: around.kind,
    cwd: input.cwd,
    project,
    transcript: input.transcript,
    process,
    pane: around.pane,
    ...(mode !== undefined && { permissionMode: mode }),
    role: around.role ?? before?.role ?? "single",
    startedAt: before?.startedAt ?? now,
    seenAt: now,
    ended: null,
    parent: before?.parent ?? null,
    figure: figured.figure,
    reading: figured.reading,
    warned: before?.warned ?? [],
    handoff: before?.handoff ?? null,
    report: before?.report ?? null,
    ...(before?.jobs && { jobs: before.jobs }),
    mail: before?.mail ?? [],
    settings,
  };
}

function inNewWindow(known: OwnSession | undefined): OwnSession | undefined {
  if (!known) return undefined;
  return { ...known, warned: [], handoff: afterCompaction(known.handoff) };
}

/** Who was here before. `handedOver`: it wrote a handoff, and nobody has picked it up yet. */
export interface Predecessor {
  session: OwnSession;
  handedOver: boolean;
}

/**
 * The session whose place a new one takes: the one that was to be followed by just this id, or after a clear the last one
 * in the same pane or program.
 */
export function predecessorOf(
  sessions: readonly OwnSession[],
  record: OwnSession,
  source: string,
): Predecessor | undefined {
  const others = sessions.filter(({ id }) => id !== record.id);
  const awaited = others.find(
    ({ handoff }) => handoff?.state === "clearing" && handoff.successor === record.id,
  );
  if (awaited) return { session: awaited, handedOver: true };
  if (source !== "clear") return undefined;
  const session = others
    .filter((other) => isInPlaceOf(other, record))
    .sort((a, b) => b.seenAt.localeCompare(a.seenAt))[0];
  // What a person went on from is not what they clear: then the handoff waits on, for whoever asks for it.
  return session && { session, handedOver: isForTheNext(session.handoff) };
}

/**
 * The session before in the pane of a new one, where its program was killed: it has not recorded its end. Where its work
 * continues elsewhere, there is nothing to tell.
 */
export function killedBefore(
  sessions: readonly OwnSession[],
  { id, pane, project }: OwnSession,
  isGone: (session: OwnSession) => boolean = programIsGone,
): OwnSession | undefined {
  const last = sessions
    .filter((other) => other.id !== id && isSamePane(other.pane, pane))
    .sort((a, b) => b.seenAt.localeCompare(a.seenAt))[0];
  if (last?.project !== project || last.handoff?.state === "taken-up") return undefined;
  const isKilled = last.ended === null ? isGone(last) : last.ended.reason === PROCESS_GONE;
  return isKilled ? last : undefined;
}

function isSamePane(one: OwnSession["pane"], other: OwnSession["pane"]): boolean {
  return one !== null && one.socket === other?.socket && one.id === other.id;
}

function isInPlaceOf(other: OwnSession, { pane, process }: OwnSession): boolean {
  if (process && other.process) {
    return process.pid === other.process.pid && process.startTime === other.process.startTime;
  }
  return isSamePane(pane, other.pane);
}

/** Its document is stored, and there is no pane in which the next session could begin. */
export function isLeftStored({ pane, handoff }: OwnSession): boolean {
  return pane === null && handoff?.state === "stored";
}

function isCut({ handoff }: OwnSession, now: string): boolean {
  return handoff !== null && isCutOff(handoff, now);
}

const MOST_LEFT_BEHIND = 5;

/**
 * Sessions of the project that are gone in the middle of a handoff: somebody must pick it up, or tell of it. Where another
 * runs in the pane of one by now, nobody is at it any more; nor where one without a pane has only stored it.
 */
export function leftBehind(
  sessions: readonly OwnSession[],
  { id, project, pane, seenAt }: OwnSession,
  isGone: (session: OwnSession) => boolean = programIsGone,
): string[] {
  return sessions
    .filter((other) => other.id !== id && other.project === project)
    .filter(({ handoff }) => isOnItsWay(handoff) && !handoff.wentOn)
    .filter((other) => isSamePane(other.pane, pane) || isLeftStored(other) || isCut(other, seenAt))
    .filter((other) => isGone(other))
    .slice(0, MOST_LEFT_BEHIND)
    .map((other) => other.id);
}
