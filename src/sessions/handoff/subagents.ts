import { stat } from "node:fs/promises";
import { subagentTranscript, transcriptEvents } from "../../agents/claude/own/transcript.ts";
import type { SubagentFact } from "../../handoff/facts.ts";
import { chainOf } from "../record/chain.ts";
import type { Registry } from "../record/registry.ts";
import { type OwnSession, programIsGone } from "../record/session.ts";

export interface SubagentStatus extends Omit<SubagentFact, "state"> {
  /** `unknown`: its own transcript is there, but nobody says how it stands. */
  state: SubagentFact["state"] | "unknown";
  /** That started it. */
  session: string;
  /** Its own transcript, and when that last grew. */
  transcript: string | null;
  seenAt: string | null;
  turns: number;
  tokens: number;
  lastText: string | null;
}

/** How a subagent of this session stands, or of one whose work it continues. Undefined where none of them started it. */
export async function subagentStatus(
  registry: Registry,
  session: OwnSession,
  id: string,
): Promise<SubagentStatus | undefined> {
  for (const starter of await chainOf(registry, session)) {
    const found = await inSession(starter, id);
    if (found) return found;
  }
  return undefined;
}

async function inSession(session: OwnSession, id: string): Promise<SubagentStatus | undefined> {
  if (session.transcript === null || !/^[\w-]+$/.test(id)) return undefined;
  const [told, own] = await Promise.all([toldOf(session.transcript, id), ownStory(session.transcript, id)]);
  if (!told && own.transcript === null) return undefined;
  const { state = "unknown", task = "" } = told ?? {};
  return { id, task, state: afterEnd(state, session), session: session.id, ...own };
}

/** What the main thread was told of it last. */
async function toldOf(transcript: string, id: string): Promise<SubagentFact | undefined> {
  let told: SubagentFact | undefined;
  for await (const event of transcriptEvents(transcript)) {
    if (event.type === "subagent" && event.id === id) told = { id, task: event.task, state: event.state };
  }
  return told;
}

async function ownStory(main: string, id: string) {
  const path = subagentTranscript(main, id);
  const found = await stat(path).catch(() => undefined);
  const responses = new Set<string>();
  let tokens = 0;
  let lastText: string | null = null;
  for await (const event of transcriptEvents(path)) {
    if (event.type === "text") lastText = event.text;
    if (event.type !== "response") continue;
    responses.add(event.id);
    if (!event.usage) continue;
    const { input, output, cacheRead, cacheWrite } = event.usage;
    tokens = input + output + cacheRead + cacheWrite || tokens;
  }
  return {
    transcript: found ? path : null,
    seenAt: found ? found.mtime.toISOString() : null,
    turns: responses.size,
    tokens,
    lastText,
  };
}

/** A program that has ended took its subagents with it. A clear is no such end, and a crash is not always on record. */
function afterEnd(state: SubagentStatus["state"], session: OwnSession): SubagentStatus["state"] {
  if (state !== "running") return state;
  const { ended } = session;
  return (ended !== null && ended.reason !== "clear") || programIsGone(session) ? "stopped" : "running";
}
