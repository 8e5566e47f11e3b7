import { open, stat } from "node:fs/promises";
import { lineEvents } from "../context/entry.ts";
import { isOwnWords } from "./own-words.ts";
import type { OwnSession } from "./session.ts";

/** What came after a handoff is at the end of a transcript, and a prompt is waited for for minutes, not for days. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Whether a person has said something to the session since its document was written, by its transcript: where hooks are
 * missing nobody else has noticed.
 */
export async function hasSpokenSince({ transcript, handoff, settings }: OwnSession): Promise<boolean> {
  if (transcript === null || handoff?.documentPath === undefined) return false;
  const written = await stat(handoff.documentPath).catch(() => undefined);
  if (!written) return false;
  const lines = (await endOf(transcript)).split("\n");
  return lines.some((line) => isLater(line, written.mtimeMs) && isPersons(line, settings?.checkMessage));
}

function isLater(line: string, since: number): boolean {
  const [, at] = /"timestamp":"([^"]+)"/.exec(line) ?? [];
  return at !== undefined && Date.parse(at) > since;
}

function isPersons(line: string, check: string | undefined): boolean {
  return lineEvents(line).some((event) => event.type === "user" && !isOwnWords(event.text, check));
}

async function endOf(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const start = Math.max(0, size - MOST_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  }
}
