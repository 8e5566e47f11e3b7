import { parseDocument } from "../../handoff/document.ts";
import { readPending } from "../../sessions/handoff/pending.ts";
import { takeUp, takeUpText } from "../../sessions/handoff/take-up.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { type Listed, listDocuments } from "../handoffs/documents.ts";
import { documentInside, type Folders, type Refusal } from "../handoffs/inside.ts";
import { callingSession, foldersOf, type Served } from "./served.ts";

interface HandoffsHere {
  /** The newest first. */
  handoffs: Listed[];
  /** The document that waits for somebody. */
  pending: string | null;
}

/** The handoffs of the project. */
export async function handoffsHere(served: Served): Promise<HandoffsHere> {
  return handoffsIn(await foldersOf(served));
}

interface ReadHandoff extends ReturnType<typeof parseDocument> {
  path: string;
  text: string;
}

/** One of them, by its path or its name. */
export async function readHere(served: Served, named: string): Promise<ReadHandoff | Refusal> {
  const found = await documentInside(await foldersOf(served), named);
  return "refused" in found ? found : { ...found, ...parseDocument(found.text) };
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
  const wanted = named || (await toContinue(folders, session));
  if (wanted === undefined) return { none: folders.handoffDir };
  const found = await documentInside(folders, wanted);
  if ("refused" in found) return found;
  const takenBy = await takerOf(served, found.text);
  const mail = await takeUp(served.registry, session, found, folders.handoffDir);
  const { path } = found;
  return { path, text: takeUpText(found), mail, takenBy: takenBy === session.id ? undefined : takenBy };
}

async function handoffsIn(folders: Folders): Promise<HandoffsHere> {
  const [handoffs, waiting] = await Promise.all([listDocuments(folders), readPending(folders.handoffDir)]);
  return { handoffs, pending: waiting?.document ?? null };
}

async function toContinue(folders: Folders, { id }: OwnSession): Promise<string | undefined> {
  const { handoffs, pending } = await handoffsIn(folders);
  return pending ?? handoffs.find(({ session }) => session !== id)?.path;
}

async function takerOf({ registry }: Served, text: string): Promise<string | undefined> {
  const { session: wrote } = parseDocument(text).head;
  const handoff = wrote ? (await registry.find(wrote))?.handoff : undefined;
  return handoff?.state === "taken-up" ? handoff.successor : undefined;
}
