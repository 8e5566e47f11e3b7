import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { readBeginning } from "../../files/bounded-file.ts";
import { fromJson } from "../../util/json.ts";
import type { AgentEvent } from "../events.ts";
import { TranscriptReader } from "./transcript/reader.ts";

/** The folder in which Claude Code keeps its settings, credentials and transcripts. */
export function claudeHome(env: Record<string, string>): string {
  return env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), ".claude");
}

/** Looks in every project's folder: their names are made from paths by a rule that is the program's own. */
export async function findTranscript(
  env: Record<string, string>,
  sessionId: string,
): Promise<string | undefined> {
  const projects = join(claudeHome(env), "projects");
  for (const project of await readdir(projects).catch(() => [])) {
    const path = join(projects, project, `${sessionId}.jsonl`);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}

/** What stands in the transcript of a session; nothing where it has none. */
export async function* sessionEvents(
  env: Record<string, string>,
  sessionId: string,
): AsyncGenerator<AgentEvent> {
  const path = await findTranscript(env, sessionId);
  if (path !== undefined) yield* new TranscriptReader(path).read();
}

const HEAD_BYTES = 256 * 1024;

/** The folder that a session was started in, by its transcript: the program finds the session from there only. */
export async function folderOf(transcript: string): Promise<string | undefined> {
  const [, quoted] = /"cwd":("(?:[^"\\]|\\.)*")/.exec(readBeginning(transcript, HEAD_BYTES)) ?? [];
  const folder = quoted === undefined ? undefined : fromJson(quoted);
  return typeof folder === "string" ? folder : undefined;
}
