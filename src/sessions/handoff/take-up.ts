import { continuationPrompt } from "../../handoff/continuation.ts";
import { parseDocument } from "../../handoff/document.ts";
import { documentOf } from "../record/handoff-questions.ts";
import { isAsked, takenUp } from "../record/handoff-state.ts";
import { withMail } from "../record/mail.ts";
import type { Registry } from "../record/registry.ts";
import { type OwnSession, programIsGone } from "../record/session.ts";
import { removePending } from "./pending.ts";
import { type Document, isSameDocument, type Recorded } from "./recorded.ts";

/** What a session reads that continues from a document. `recorded`: what is known of it; undefined for a stranger's. */
export function takeUpText({ path, text }: Document, recorded: Recorded | undefined, tag: string): string {
  return continuationPrompt({
    of: recorded?.of ?? "work",
    number: recorded?.number ?? 1,
    document: text,
    documentPath: path,
    record: recorded?.record ?? null,
    request: recorded?.request ?? null,
    ledger: parseDocument(text).account.progress.done,
    tag,
  });
}

/**
 * Records that a session continues from a document: the session that wrote it and this one name each other, and the
 * pending file goes. `recorded`: what is known of the document. Of an author that only the document names, no more is believed
 * than that a session of this project wrote it. Returns what others had told the earlier session meanwhile, for
 * this one to read.
 */
export async function takeUp(
  registry: Registry,
  taker: OwnSession,
  { path, text }: Document,
  handoffDir: string,
  recorded?: Recorded,
): Promise<OwnSession["mail"]> {
  const wrote = recorded?.record.session ?? parseDocument(text).head.session;
  const author = wrote && wrote !== taker.id ? await registry.find(wrote) : undefined;
  const earlier = author && (await isOfNow(author, path)) ? author : undefined;
  const isBelieved = wrote !== taker.id && (recorded !== undefined || author?.project === taker.project);
  const moved = earlier?.mail ?? [];
  await registry.update(taker.id, (known = taker) => ({
    ...known,
    parent: isBelieved && wrote ? wrote : known.parent,
    role: known.role === "single" && earlier ? earlier.role : known.role,
    mail: withMail(known.mail, moved),
  }));
  // What came in between is not lost: it is moved as well, once nothing more can come.
  let late: OwnSession["mail"] = [];
  if (earlier) {
    await registry.update(earlier.id, (known = earlier) => {
      late = known.mail.slice(moved.length);
      const by = { successor: taker.id, documentPath: path, at: new Date().toISOString() };
      return { ...known, mail: [], handoff: takenUp(known.handoff, by) };
    });
  }
  await removePending({ dir: handoffDir }, { document: path, session: earlier?.id });
  let mail: OwnSession["mail"] = [];
  await registry.update(taker.id, (known = taker) => {
    mail = withMail(known.mail, late);
    return { ...known, mail: [] };
  });
  return mail;
}

/** False where the session has written another one since, or is asked for one and still there: it continues its work. */
async function isOfNow(session: OwnSession, path: string): Promise<boolean> {
  const { handoff, ended } = session;
  const document = documentOf(handoff);
  if (document === undefined || (isAsked(handoff) && ended === null && !programIsGone(session))) return false;
  return isSameDocument(path, document);
}
