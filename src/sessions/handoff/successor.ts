import { stat } from "node:fs/promises";
import { transcriptBeside, transcriptEvents, transcriptsBeside } from "../../agents/claude/own/transcript.ts";
import { asWritten } from "../../agents/claude/own/transcript-line.ts";
import { readBeginning } from "../../files/bounded-file.ts";
import { newSession, type OwnSession } from "../record/session.ts";

/** A session that continues another's work. */
export interface Successor {
  id: string;
  /** What to register, where its own hooks have not. Absent for a job: that is on record elsewhere. */
  record?: OwnSession;
}

/** True once somebody has said something to the session. */
export async function hasBegun({ transcript }: Pick<OwnSession, "transcript">): Promise<boolean> {
  if (transcript === null) return false;
  for await (const event of transcriptEvents(transcript)) if (event.type === "user") return true;
  return false;
}

/** The session of a given id in the same folder, by the transcript that it writes. */
export async function startedAs(session: OwnSession, id: string): Promise<Successor | undefined> {
  if (session.transcript === null) return undefined;
  const transcript = transcriptBeside(session.transcript, id);
  return (await hasBegun({ transcript })) ? { id, record: recordOf(session, id, transcript) } : undefined;
}

/** After a clear without hooks: the session of the same folder that has just been told of the document. */
export async function startedAfterClear(
  session: OwnSession,
  document: string,
): Promise<Successor | undefined> {
  const since = Date.parse(session.handoff?.at ?? session.startedAt);
  if (session.transcript === null) return undefined;
  for (const { id, path } of await transcriptsBeside(session.transcript)) {
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtimeMs < since || !found.isFile() || !holds(path, document)) continue;
    return { id, record: recordOf(session, id, path) };
  }
  return undefined;
}

const HEAD_BYTES = 256 * 1024;

/** Only a new transcript is looked through, and only its beginning. */
function holds(path: string, text: string): boolean {
  return readBeginning(path, HEAD_BYTES).includes(asWritten(text));
}

/** Of the same program, in the same place. */
function recordOf(session: OwnSession, id: string, transcript: string): OwnSession {
  const { program, kind, cwd, project, process, pane, role, settings } = session;
  const startedAt = new Date().toISOString();
  const same = { program, kind, cwd, project, process, pane, role, ...(settings && { settings }) };
  return newSession({ ...same, id, transcript, startedAt, parent: session.id });
}
