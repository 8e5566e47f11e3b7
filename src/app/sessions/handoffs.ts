import { parseDocument } from "../../handoff/document.ts";
import { readPending } from "../../sessions/handoff/pending.ts";
import { isRecordedPending } from "../../sessions/handoff/recorded.ts";
import { takeUp, takeUpText } from "../../sessions/handoff/take-up.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { framed, newTag } from "../../util/frame.ts";
import { type Listed, listDocuments } from "../handoffs/documents.ts";
import { documentInside, type Folders, type Refusal } from "../handoffs/inside.ts";
import { recordedDocument } from "../handoffs/recorded.ts";
import { callingSession, foldersOf, type Served } from "./served.ts";

interface HandoffsHere {
  /** The newest first. */
  handoffs: Listed[];
  /** The document that waits for somebody. */
  pending: string | null;
}

const STRANGE =
  "a document that Baton has no record of: it is not known who wrote it, and nobody has checked it";

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
 * newest of another's. `none`: there is none in this folder.
 */
export async function continueHere(
  served: Served,
  named?: string,
): Promise<TakenUp | Refusal | { none: string }> {
  const folders = await foldersOf(served);
  const session = await callingSession(served);
  const wanted = named || (await toContinue(served, folders, session));
  if (wanted === undefined) return { none: folders.handoffDir };
  const found = await documentInside(folders, wanted);
  if ("refused" in found) return found;
  const takenBy = await takerOf(served, found.text);
  const recorded = await recordedDocument(found, served);
  const mail = await takeUp(served.registry, session, found, folders.handoffDir, recorded);
  const { path } = found;
  const text = takeUpText(found, recorded, newTag());
  return { path, text, mail, takenBy: takenBy === session.id ? undefined : takenBy };
}

async function handoffsIn({ registry }: Served, folders: Folders): Promise<HandoffsHere> {
  const [handoffs, waiting] = await Promise.all([listDocuments(folders), readPending(folders.handoffDir)]);
  const isWaiting = waiting !== undefined && (await isRecordedPending(registry, waiting));
  return { handoffs, pending: isWaiting ? waiting.document : null };
}

async function toContinue(served: Served, folders: Folders, { id }: OwnSession): Promise<string | undefined> {
  const { handoffs, pending } = await handoffsIn(served, folders);
  return pending ?? handoffs.find(({ session }) => session !== id)?.path;
}

async function takerOf({ registry }: Served, text: string): Promise<string | undefined> {
  const { session: wrote } = parseDocument(text).head;
  const handoff = wrote ? (await registry.find(wrote))?.handoff : undefined;
  return handoff?.state === "taken-up" ? handoff.successor : undefined;
}
