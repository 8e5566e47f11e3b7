import { parseDocument } from "../../handoff/document.ts";
import { type Pending, readPending } from "../../sessions/handoff/pending.ts";
import { isRecordedPending } from "../../sessions/handoff/recorded.ts";
import { takeUp, takeUpText } from "../../sessions/handoff/take-up.ts";
import { dismiss } from "../../sessions/handoff/waiting.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { framed, newTag } from "../../util/frame.ts";
import { type Listed, listDocuments } from "../handoffs/documents.ts";
import { documentInside, type Folders, type Refusal } from "../handoffs/inside.ts";
import { recordedDocument } from "../handoffs/recorded.ts";
import { agentOf, callingSession, foldersOf, type Served } from "./served.ts";

interface HandoffsHere {
  /** The newest first. */
  handoffs: Listed[];
  /** Those that wait for somebody, the newest first. */
  waiting: Pending[];
  /** Where those are that Baton stored itself. */
  dir: string;
}

const STRANGE =
  "a document that Baton has no record of: nobody knows who wrote it, and nobody has checked it";

/** The handoffs of the project. */
export async function handoffsHere(served: Served): Promise<HandoffsHere> {
  return handoffsIn(served, await foldersOf(served));
}

interface ReadHandoff extends ReturnType<typeof parseDocument> {
  path: string;
  /** As a session reads it. */
  framed: string;
  /** Whether Baton itself has stored it. */
  isRecorded: boolean;
}

/** One of them, by its path or its name. */
export async function readHere(served: Served, named: string): Promise<ReadHandoff | Refusal> {
  const found = await documentInside(await foldersOf(served), named);
  if ("refused" in found) return found;
  const { path, text } = found;
  const isRecorded = (await recordedDocument(found, served)) !== undefined;
  const source = isRecorded ? "a handoff document that an earlier session wrote" : STRANGE;
  const shown = framed({ kind: "handoff-document", source, text, tag: newTag() });
  return { path, framed: shown, isRecorded, ...parseDocument(text) };
}

interface TakenUp {
  path: string;
  /** The document, and what to do now. */
  text: string;
  /** What others told the earlier session meanwhile. */
  mail: OwnSession["mail"];
  /** Another session that has this handoff: two that do the same work get in each other's way. */
  takenBy: string | undefined;
}

/**
 * From now on the calling session is the one that continues from this document: without a name the one that waits, or the
 * newest of another's. `none`: there is none in this folder. `several`: a person must say which.
 */
export async function continueHere(
  served: Served,
  named?: string,
): Promise<TakenUp | Refusal | { none: string } | { several: Pending[] }> {
  const folders = await foldersOf(served);
  const session = await callingSession(served);
  const wanted = named || (await toContinue(served, folders, session));
  if (wanted === undefined) return { none: folders.handoffDir };
  if (typeof wanted !== "string") return { several: wanted };
  const found = await documentInside(folders, wanted);
  if ("refused" in found) return found;
  const takenBy = await takerOf(served, found.text);
  const recorded = await recordedDocument(found, served);
  const mail = await takeUp(served.registry, session, found, folders.handoffDir, recorded);
  const { path } = found;
  const text = takeUpText(found, recorded, newTag());
  return { path, text, mail, takenBy: takenBy === session.id ? undefined : takenBy };
}

/** A handoff that waits is not wanted. Its document stays. `no`: it does not wait. */
export async function dismissHere(
  served: Served,
  named: string,
): Promise<{ path: string } | { no: string } | Refusal> {
  const found = await documentInside(await foldersOf(served), named);
  if ("refused" in found) return found;
  const { path } = found;
  const { handoff: place } = await agentOf(served);
  return (await dismiss({ document: path, place, registry: served.registry })) ? { path } : { no: path };
}

async function handoffsIn({ registry }: Served, folders: Folders): Promise<HandoffsHere> {
  const [handoffs, pending] = await Promise.all([
    listDocuments(folders, registry),
    readPending(folders.handoffDir),
  ]);
  const waiting: Pending[] = [];
  for (const one of pending) if (await isRecordedPending(registry, one)) waiting.push(one);
  return { handoffs, waiting, dir: folders.handoffDir };
}

/** The document that waits, or where more than one does all of them. */
async function toContinue(
  served: Served,
  folders: Folders,
  { id }: OwnSession,
): Promise<string | Pending[] | undefined> {
  const { handoffs, waiting } = await handoffsIn(served, folders);
  const others = waiting.filter(({ session }) => session !== id);
  if (others.length > 1) return others;
  return (others[0] ?? waiting[0])?.document ?? handoffs.find(({ session }) => session !== id)?.path;
}

async function takerOf({ registry }: Served, text: string): Promise<string | undefined> {
  const { session: wrote } = parseDocument(text).head;
  const handoff = wrote ? (await registry.find(wrote))?.handoff : undefined;
  return handoff?.state === "taken-up" ? handoff.successor : undefined;
}
