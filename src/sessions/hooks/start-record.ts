import { existsSync } from "node:fs";
import type { HookAnswer } from "../../agents/claude/own/hook-answer.ts";
import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import { surroundings } from "../../agents/claude/own/surroundings.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { Config } from "../../config/config.ts";
import { problemInALine } from "../../config/error.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { readDocumentText } from "../../handoff/read-document.ts";
import { messageOf } from "../../util/errors.ts";
import { newTag } from "../../util/frame.ts";
import { type Pending, readPending } from "../handoff/pending.ts";
import { isRecordedPending, type Recorded, recordedBy } from "../handoff/recorded.ts";
import { takeUp, takeUpText } from "../handoff/take-up.ts";
import { documentOf, isForTheNext } from "../record/handoff-questions.ts";
import { type OwnSession, SESSION_GONE } from "../record/session.ts";
import { figureOf } from "../watch/figure.ts";
import { defaultsMessage } from "./answer-texts.ts";
import type { HookWorld } from "./run.ts";
import { type HookSettings, stampOf } from "./settings.ts";
import {
  isLeftStored,
  killedBefore,
  leftBehind,
  type Predecessor,
  predecessorOf,
  startedRecord,
} from "./start.ts";
import {
  compactedContext,
  compactedMessage,
  type Kept,
  type Killed,
  killedContext,
  killedMessage,
  pendingContext,
  pendingMessage,
  skillText,
  startContext,
  takenUpMessage,
  type Waiting,
  waitsContext,
} from "./start-texts.ts";
import { mailText } from "./texts.ts";

type StartInput = Extract<HookInput, { event: "start" }>;

/** Registers a session, and gives it what it continues from. */
export async function startSession(input: StartInput, world: HookWorld): Promise<HookAnswer | undefined> {
  const { registry } = world;
  const registered = await registry.update(input.session, (known) => recordOf(known, input, world));
  if (!registered) return undefined;
  const sessions = await registry.list();
  await forgetOld(sessions, world);
  const left = leftBehind(sessions, registered);
  for (const id of left) await world.startCycle(id);
  const before = predecessorOf(sessions, registered, input.source);
  const record = before ? await inPlaceOf(before.session, registered, world) : registered;
  const document = before?.handedOver ? await readDocumentOf(before.session, world) : undefined;
  const recorded = before && document && (await recordedBy(registry, before.session, document));
  const mail = await mailFor(record, before, document && { ...document, recorded }, world);
  const isNew = input.source === "startup" || input.source === "clear";
  const tag = newTag();
  const isForPerson = before?.session.handoff?.atRest === true;
  const killed = input.source === "startup" && !document ? killedIn(sessions, registered) : undefined;
  const gone = sessions.filter((session) => left.includes(session.id) && isLeftStored(session));
  const others = isNew && !document ? [...storedBy(gone), ...(await waitingFor(record, registry))] : [];
  const waiting = others.filter(({ session }) => session !== killed?.id);
  const kept = input.source === "compact" ? keptBefore(record) : undefined;
  const parts = [
    record.role === "orchestrator" ? skillText(await world.orchestratorSkill()) : "",
    mail.length > 0 ? mailText(mail, tag) : "",
    pendingContext(waiting),
    kept ? compactedContext(kept) : "",
    killed ? killedContext(killed) : "",
    document && isForPerson ? waitsContext : "",
  ];
  const whole = document && takeUpText(document, recorded, tag);
  const toAgent = startContext(parts, document && whole ? { ...document, whole, tag } : undefined);
  const problem = input.source === "compact" ? undefined : record.settings?.problem;
  const said = [
    document ? takenUpMessage(before?.session.handoff?.number ?? 1, document.path, isForPerson) : "",
    kept && !document ? compactedMessage(kept) : "",
    killed ? killedMessage(killed) : "",
    pendingMessage(waiting),
    problem === undefined ? "" : defaultsMessage(problem),
  ]
    .filter(Boolean)
    .join("\n");
  return { ...(said && { toPerson: said }), ...(toAgent && { toAgent }) };
}

/** The session that was killed in this pane, where there is something left of it. */
function killedIn(sessions: readonly OwnSession[], record: OwnSession): Killed | undefined {
  const session = killedBefore(sessions, record);
  if (!session) return undefined;
  const { id, handoff, transcript, inTurn = false } = session;
  const path = documentOf(handoff);
  const document = handoff && path !== undefined ? { number: handoff.number, path } : undefined;
  const isResumable = transcript !== null && existsSync(transcript);
  if (!document && !isResumable) return undefined;
  return { id, inTurn, isResumable, isStored: isForTheNext(handoff), ...(document && { document }) };
}

/** Handoffs of the project that wait for somebody. */
async function waitingFor({ settings }: OwnSession, registry: HookWorld["registry"]): Promise<Waiting[]> {
  const pending = settings ? await readPending(settings.handoffDir) : [];
  const isRecorded = (one: Pending) => isRecordedPending(registry, one);
  return Promise.all(pending.map(async (one) => ({ ...one, recorded: await isRecorded(one) })));
}

/** Those of sessions that have just been found gone: they will wait in a moment. */
function storedBy(gone: readonly OwnSession[]): Waiting[] {
  return gone.flatMap(({ id: session, handoff }) => {
    const document = documentOf(handoff);
    if (!handoff || document === undefined) return [];
    const { number, at: created } = handoff;
    return { session, document, number, created, reason: SESSION_GONE, recorded: true };
  });
}

/** The document that holds what the compaction has left out, if there is one. */
function keptBefore({ handoff }: OwnSession): Kept | undefined {
  const path = documentOf(handoff);
  const isOfThisWork = handoff !== null && handoff.state !== "taken-up";
  return isOfThisWork && path !== undefined ? { number: handoff.number, path } : undefined;
}

export async function recordOf(
  known: OwnSession | undefined,
  input: HookInput,
  world: HookWorld,
): Promise<OwnSession> {
  const [project, process] = await Promise.all([world.projectOf(input.cwd), world.program()]);
  const settings = await readSettings(project, world);
  const reading = known?.reading ?? null;
  const figured = figureOf({ transcript: input.transcript, reading, settings }, settings.configuredWindow);
  const around = surroundings(world.env);
  const now = new Date().toISOString();
  return startedRecord(known, { input, around, process, project, settings, figured, now });
}

/** A configuration that cannot be read must not stop a person's session: the defaults apply meanwhile. */
export async function readSettings(project: string, world: HookWorld): Promise<HookSettings> {
  const stamp = stampOf(project);
  const { attended } = surroundings(world.env);
  try {
    return settingsFrom(await world.configOf(project), stamp, attended);
  } catch (error) {
    await world.log(`the defaults apply: ${messageOf(error)}`);
    const problem = problemInALine(error);
    return { ...settingsFrom(configWithoutFile(project), stamp, attended), problem };
  }
}

function settingsFrom(config: Config, stamp: string, attended: boolean): HookSettings {
  const { session, handoff, contextWindow } = agentNamed(config);
  return {
    enabled: handoff.enabled,
    threshold: session.threshold,
    orchestratorThreshold: config.watch.threshold,
    warnAt: handoff.notifyUserAt,
    attended,
    handoffDir: handoff.dir,
    checkMessage: config.watch.message,
    ...(contextWindow !== undefined && { configuredWindow: contextWindow }),
    stamp,
  };
}

const KEPT_MS = 90 * 24 * 60 * 60_000;

async function forgetOld(sessions: readonly OwnSession[], { registry }: HookWorld): Promise<void> {
  const oldest = new Date(Date.now() - KEPT_MS).toISOString();
  for (const { id, seenAt } of sessions) if (seenAt < oldest) await registry.forget(id);
}

/** What a session is for stays the same when it is cleared. */
async function inPlaceOf(before: OwnSession, record: OwnSession, world: HookWorld): Promise<OwnSession> {
  if (record.role === before.role || record.role !== "single") return record;
  const changed = await world.registry.update(record.id, (known) => known && { ...known, role: before.role });
  return changed ?? record;
}

async function readDocumentOf(
  { handoff }: OwnSession,
  world: HookWorld,
): Promise<{ path: string; text: string } | undefined> {
  const path = documentOf(handoff);
  if (path === undefined) return undefined;
  try {
    return { path, text: readDocumentText(path) };
  } catch (error) {
    await world.log(`the handoff document cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** Records who continues whose work, and returns what was told to either meanwhile. */
async function mailFor(
  record: OwnSession,
  before: Predecessor | undefined,
  document: { path: string; text: string; recorded: Recorded | undefined } | undefined,
  { registry }: HookWorld,
): Promise<OwnSession["mail"]> {
  if (document && record.settings) {
    const { recorded } = document;
    return takeUp(registry, record, document, record.settings.handoffDir, recorded);
  }
  return [...(before ? await emptied(before.session.id) : []), ...(await emptied(record.id))];

  async function emptied(id: string): Promise<OwnSession["mail"]> {
    let mail: OwnSession["mail"] = [];
    await registry.update(id, (known) => {
      mail = known?.mail ?? [];
      return known && mail.length > 0 ? { ...known, mail: [] } : undefined;
    });
    return mail;
  }
}
