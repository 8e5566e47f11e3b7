import { BATON } from "../hooks/texts.ts";
import { newestOf } from "./chain.ts";
import { successorOf } from "./handoff-questions.ts";
import { SESSION_LIMITS } from "./limits.ts";
import type { Registry } from "./registry.ts";
import type { OwnSession } from "./session.ts";

type Mail = OwnSession["mail"][number];

/**
 * Keeps a message until a session can read it: for the one that has the work now, also while its pane is being cleared.
 * Returns who will get it.
 */
export async function tell(registry: Registry, to: string, told: Mail): Promise<string | undefined> {
  // What Baton itself says is shown to the person as well: no session can speak in its name.
  const from = told.from === BATON ? `session ${BATON}` : told.from;
  const mail = { ...told, from, text: cut(told.text) };
  for (let id = to; ; ) {
    const named = await registry.find(id);
    if (!named) return undefined;
    const reader = await newestOf(registry, named);
    const kept = await put(registry, reader.id, mail, (session) => session.handoff?.state !== "taken-up");
    if (kept?.mail.includes(mail)) return kept.id;
    // It was handed over since it was looked at.
    const next = successorOf(kept?.handoff);
    if (next === undefined || next === id) return undefined;
    id = next;
  }
}

/** Tells a session itself something, whoever has its work by now. */
export async function note(registry: Registry, id: string, text: string): Promise<void> {
  await put(registry, id, { from: BATON, text: cut(text), at: new Date().toISOString() }, () => true);
}

function put(registry: Registry, id: string, mail: Mail, mayRead: (session: OwnSession) => boolean) {
  return registry.update(id, (session) =>
    session && mayRead(session) ? { ...session, mail: withMail(session.mail, [mail]) } : undefined,
  );
}

/** A session that does not read its mail keeps the newest, and hears that there was more. */
export function withMail(mail: readonly Mail[], more: readonly Mail[]): Mail[] {
  const all = [...mail, ...more];
  const [oldest, ...kept] = all.slice(-SESSION_LIMITS.mail);
  if (oldest === undefined || all.length <= SESSION_LIMITS.mail) return all;
  return [{ from: BATON, text: "Earlier messages were too many to keep.", at: oldest.at }, ...kept];
}

function cut(text: string): string {
  const { mailText } = SESSION_LIMITS;
  return text.length > mailText ? `${text.slice(0, mailText)}… (cut)` : text;
}
