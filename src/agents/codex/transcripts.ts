import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../agent.ts";
import { TranscriptReader } from "../claude/transcript/reader.ts";
import { Rollout } from "./rollout.ts";

/** The folder in which Codex keeps its settings, credentials and transcripts. */
export function codexHome(env: Record<string, string>): string {
  return env.CODEX_HOME || join(env.HOME ?? homedir(), ".codex");
}

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
  const found = await search(join(codexHome(env), "sessions"), 3);
  // A program that was killed as it began leaves an empty one, from which it cannot be resumed.
  const isBegun = found !== undefined && (await stat(found)).size > 0;
  return isBegun ? found : undefined;
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
