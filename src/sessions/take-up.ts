import { continuationPrompt } from "../handoff/continuation.ts";
import { parseDocument } from "../handoff/document.ts";
import { requestIn } from "../handoff/facts-section.ts";
import { removePending } from "./pending.ts";
import type { Registry } from "./registry.ts";
import type { OwnSession } from "./session.ts";

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
 * Puts on record that a session goes on with a document: the session that wrote it and this one name each other, and the
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
  const earlier = wrote && wrote !== taker.id ? await registry.find(wrote) : undefined;
  const moved = earlier?.mail ?? [];
  await registry.update(taker.id, (known = taker) => ({
    ...known,
    parent: wrote && wrote !== taker.id ? wrote : known.parent,
    role: known.role === "single" && earlier ? earlier.role : known.role,
    mail: [...known.mail, ...moved],
  }));
  // What came in between is not lost: it is moved as well, once nothing more can come.
  let late: OwnSession["mail"] = [];
  if (earlier) {
    await registry.update(earlier.id, (known = earlier) => {
      late = known.mail.slice(moved.length);
      const handoff = known.handoff ?? { number: 1, at: new Date().toISOString() };
      return { ...known, mail: [], handoff: { ...handoff, state: "taken-up", successor: taker.id } };
    });
  }
  await removePending(handoffDir, path);
  let mail: OwnSession["mail"] = [];
  await registry.update(taker.id, (known = taker) => {
    mail = [...known.mail, ...late];
    return { ...known, mail: [] };
  });
  return mail;
}
