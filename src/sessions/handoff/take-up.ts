import { realpath } from "node:fs/promises";
import { continuationPrompt } from "../../handoff/continuation.ts";
import { parseDocument } from "../../handoff/document.ts";
import { requestIn } from "../../handoff/facts-section.ts";
import { findDocument } from "../../handoff/history.ts";
import { isAsked, takenUp } from "../record/handoff-state.ts";
import { withMail } from "../record/mail.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import { removePending } from "./pending.ts";

interface Document {
  path: string;
  text: string;
}

/** What a session reads that takes a document up, whoever wrote it. */
export function takeUpText({ path, text }: Document): string {
  const { head, account, facts } = parseDocument(text);
  return continuationPrompt({
    of: head.job ? "job" : "work",
    number: head.number ?? 1,
    document: text,
    documentPath: path,
    previous: head.previous ?? null,
    request: requestIn(facts) || account.goal,
    ledger: account.progress.done,
    previousSession: head.session ?? null,
    transcript: head.transcript ?? null,
  });
}

/**
 * Records that a session continues from a document: the session that wrote it and this one name each other, and the
 * pending file goes. `from` is the session whose place the taker took, where the document does not name its author. Returns
 * what others had told the earlier session meanwhile, for this one to read.
 */
export async function takeUp(
  registry: Registry,
  taker: OwnSession,
  { path, text }: Document,
  handoffDir: string,
  from?: string,
): Promise<OwnSession["mail"]> {
  const wrote = parseDocument(text).head.session ?? from;
  const author = wrote && wrote !== taker.id ? await registry.find(wrote) : undefined;
  const earlier = author && (await isOfNow(author, path)) ? author : undefined;
  const moved = earlier?.mail ?? [];
  await registry.update(taker.id, (known = taker) => ({
    ...known,
    parent: wrote && wrote !== taker.id ? wrote : known.parent,
    role: known.role === "single" && author ? author.role : known.role,
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
  await removePending(handoffDir, path);
  let mail: OwnSession["mail"] = [];
  await registry.update(taker.id, (known = taker) => {
    mail = withMail(known.mail, late);
    return { ...known, mail: [] };
  });
  return mail;
}

/** False where the session has written another one since, or is asked for one: it continues its work. */
async function isOfNow({ handoff }: OwnSession, path: string): Promise<boolean> {
  if (!handoff) return true;
  if (isAsked(handoff) || handoff.documentPath === undefined) return false;
  const [here, there] = await Promise.all([real(path), real(await findDocument(handoff.documentPath))]);
  return here === there;
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
