import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fromJson } from "../../util/json.ts";
import type { SessionSpec } from "../agent.ts";
import { TranscriptReader } from "../claude/transcript/reader.ts";
import type { AgentEvent } from "../events.ts";
import { response, spoken } from "./messages.ts";
import { type SessionEntry, sessionEntry, textOf } from "./records.ts";
import { toolEnd } from "./tools.ts";

/** The folder in which pi keeps its settings, credentials and sessions. */
export function piHome(env: Record<string, string>): string {
  return env.PI_CODING_AGENT_DIR || join(env.HOME ?? homedir(), ".pi", "agent");
}

/** Looks in every project's folder: their names are made from paths by a rule that is the program's own. */
export async function findTranscript({
  sessionId,
  env,
}: Pick<SessionSpec, "sessionId" | "env">): Promise<string | undefined> {
  const sessions = join(piHome(env), "sessions");
  const projects = (await readdir(sessions).catch(() => [])).map((name) => join(sessions, name));
  const own = env.PI_CODING_AGENT_SESSION_DIR;
  for (const folder of [...(own ? [own] : []), ...projects]) {
    const names = await readdir(folder).catch(() => []);
    const name = names.find((each) => each.endsWith(`_${sessionId}.jsonl`));
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}

/** What stands in the transcript of a session; nothing where it has none. */
export async function* sessionEvents(
  session: Pick<SessionSpec, "sessionId" | "env">,
): AsyncGenerator<AgentEvent> {
  const path = await findTranscript(session);
  if (path === undefined) return;
  for await (const line of new TranscriptReader(path).lines()) yield* lineEvents(line);
}

/** The events that a line of a session file stands for. What is broken or not understood has none. */
export function* lineEvents(line: string): Generator<AgentEvent> {
  const { data: entry } = sessionEntry.safeParse(fromJson(line));
  switch (entry?.type) {
    case "message":
      yield* messageEvents(entry);
      return;
    case "compaction": {
      const { tokensBefore: before } = entry;
      yield { type: "compaction:end", ok: true, ...(before !== undefined && { before }) };
      return;
    }
    case "session_info":
      if (entry.name) yield { type: "title", title: entry.name, byPerson: true };
      return;
    default:
  }
}

function* messageEvents({
  message,
  timestamp,
}: Extract<SessionEntry, { type: "message" }>): Generator<AgentEvent> {
  switch (message.role) {
    case "user":
      yield { type: "user", text: textOf(message.content) };
      return;
    case "assistant":
      if (message.stopReason === "error" || message.stopReason === "aborted") return;
      yield* spoken(message);
      yield { ...response(message), ...(timestamp !== undefined && { at: timestamp }) };
      return;
    case "toolResult":
      yield toolEnd(message.toolCallId, message, message.isError);
      return;
    default:
  }
}
