import { lstat, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { TranscriptReader } from "../claude/transcript/reader.ts";
import type { AgentEvent } from "../events.ts";
import { Rollout } from "./rollout.ts";

/** The folder in which Codex keeps its settings, credentials and transcripts. */
export function codexHome(env: Record<string, string>): string {
  return env.CODEX_HOME || join(env.HOME ?? homedir(), ".codex");
}

/** Where it keeps all sessions. */
export const SESSIONS = "sessions";
/** Where those are kept that run in containers, by folder. */
export const INSIDE = "baton-sessions";

/** In the folder of the day on which it began: newest first, since it is asked for most. */
export async function findTranscript(
  env: Record<string, string>,
  sessionId: string,
): Promise<string | undefined> {
  const ending = `-${sessionId}.jsonl`;
  const search = async (folder: string, depth: number): Promise<string | undefined> => {
    const names = (await readdir(folder).catch(() => [])).sort().reverse();
    if (depth === 0) {
      const found = names.find((name) => name.endsWith(ending));
      return found && join(folder, found);
    }
    for (const name of names) {
      const found = await search(join(folder, name), depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const home = codexHome(env);
  // What an agent in a container can write comes last: it could be there in another's name.
  const found = (await search(join(home, SESSIONS), 3)) ?? (await search(join(home, INSIDE), 4));
  const is = found === undefined ? undefined : await lstat(found);
  // A program that was killed as it began leaves an empty one, from which it cannot be resumed.
  return is?.isFile() && is.size > 0 ? found : undefined;
}

/** What stands in the transcript of a session; nothing where it has none. */
export async function* sessionEvents(
  env: Record<string, string>,
  sessionId: string,
): AsyncGenerator<AgentEvent> {
  const path = await findTranscript(env, sessionId);
  if (path === undefined) return;
  const rollout = new Rollout();
  for await (const line of new TranscriptReader(path).lines()) yield* rollout.events(line);
}
