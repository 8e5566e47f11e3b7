import { sentBefore, sentMeanwhile } from "../../handoff/continuation.ts";
import type { Opening } from "../run/job-sessions.ts";
import type { LiveSession } from "../run/live-session.ts";
import type { JobAtWork } from "../run/phases.ts";
import type { ToTell } from "./queue.ts";

type Telling = Pick<JobAtWork, "facts" | "redact" | "record" | "signal">;

/** What a session hears with the messages. */
type Around =
  /** It is in the middle of its work. */
  | { kind: "meanwhile" }
  /** Its turn was over. */
  | { kind: "next" }
  /** Baton has to say something first. */
  | { kind: "after"; first: Opening };

/** Tells a session what it was sent, all of it in one turn. On record first. */
export async function tellMessages(
  { facts, redact, record, signal }: Telling,
  live: LiveSession,
  messages: readonly ToTell[],
  around: Around,
): Promise<void> {
  const session = live.id;
  if (around.kind === "after") {
    const { kind, text } = around.first;
    await record({ type: "message:sent", session, kind, text });
  }
  for (const { id: queued, text, again } of messages) {
    if (again) continue;
    facts.add({ type: "user", text: redact(text) });
    await record({ type: "message:sent", session, kind: "said", text, queued });
  }
  signal.throwIfAborted();
  // As it stands: what is looked for in a transcript later must not have been expanded.
  const text = inWords(messages.map((message) => message.text).join("\n\n"), around);
  live.send(
    { text, verbatim: true },
    messages.map(({ id }) => id),
  );
}

function inWords(said: string, around: Around): string {
  switch (around.kind) {
    case "meanwhile":
      return sentMeanwhile(said);
    case "next":
      return said;
    case "after":
      return sentBefore(around.first.text, said);
  }
}
