import { realpath } from "node:fs/promises";
import type { DocumentRecord } from "../../handoff/continuation.ts";
import { type DocumentHead, parseDocument } from "../../handoff/document.ts";
import { findAppendix, findDocument } from "../../handoff/history.ts";
import { documentOf } from "../record/handoff-questions.ts";
import { keptFacts } from "../record/kept-facts.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import type { Pending } from "./pending.ts";

export interface Document {
  path: string;
  text: string;
}

/** What Baton knows of a document by its own record, and not by what the document says. */
export interface Recorded {
  of: "job" | "work";
  number: number;
  /** Of the user, word for word. Null where none was recorded. */
  request: string | null;
  record: DocumentRecord;
}

/** Of a document that a person's own session stored: where the session that it names is registered with this very file. */
export async function recordedOwn(registry: Registry, document: Document): Promise<Recorded | undefined> {
  const named = headOf(document.text).session;
  const session = named ? await registry.find(named) : undefined;
  const stored = documentOf(session?.handoff);
  if (!session || stored === undefined || !(await isSameDocument(document.path, stored))) return undefined;
  return recordedBy(registry, session, document);
}

/** Of the document that this session has stored. */
export async function recordedBy(
  registry: Registry,
  { id, transcript, handoff }: OwnSession,
  { path, text }: Document,
): Promise<Recorded> {
  const facts = await keptFacts(registry, id);
  const head = headOf(text);
  const appendix = await findAppendix(path, head);
  const record = { session: id, transcript, previous: head.previous ?? null, appendix };
  return { of: "work", number: handoff?.number ?? 1, request: facts?.request || null, record };
}

/** True where the session that a pending file names has recorded that this document waits. */
export async function isRecordedPending(
  registry: Registry,
  { session, document }: Pending,
): Promise<boolean> {
  const handoff = (await registry.find(session))?.handoff;
  return handoff?.documentPath !== undefined && (await isSameDocument(document, handoff.documentPath));
}

function headOf(text: string): Partial<DocumentHead> {
  return parseDocument(text).head;
}

/** Also where it was archived since its path was recorded. */
export async function isSameDocument(path: string, recorded: string): Promise<boolean> {
  const [here, there] = await Promise.all([real(path), real(await findDocument(recorded))]);
  return here === there;
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
