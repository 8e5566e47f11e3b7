import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { wordsTakenForCommand } from "../../agents/claude/own/mistaken-command.ts";
import { asWritten, lineEvents, writtenAt } from "../../agents/claude/own/transcript-line.ts";
import { endOf } from "../../files/end-of-file.ts";
import { isOwnWords } from "./own-words.ts";
import type { OwnSession } from "./session.ts";

/** What came after a handoff is at the end of a transcript, and a prompt is waited for for minutes, not for days. */
const SINCE_A_HANDOFF_BYTES = 8 * 1024 * 1024;

/**
 * Whether a person has said something to the session since its document was written, by its transcript: where hooks are
 * missing nobody else has noticed.
 */
export async function hasSpokenSince({ transcript, handoff, settings }: OwnSession): Promise<boolean> {
  if (transcript === null || handoff?.documentPath === undefined) return false;
  const written = await stat(handoff.documentPath).catch(() => undefined);
  if (!written) return false;
  const lines = await linesSince(transcript, written.mtimeMs);
  return lines.some((line) => isPersons(line, settings?.checkMessage));
}

/** What was typed behind Baton's command and sent with it, since it was typed. */
export async function wordsLostSince(
  { transcript }: Pick<OwnSession, "transcript">,
  command: string,
  sinceMs: number,
): Promise<string | undefined> {
  return transcript === null
    ? undefined
    : wordsTakenForCommand(command, await linesSince(transcript, sinceMs));
}

async function linesSince(transcript: string, sinceMs: number): Promise<string[]> {
  const lines = (await endOf(transcript, SINCE_A_HANDOFF_BYTES)).split("\n");
  return lines.filter((line) => (writtenAt(line) ?? 0) > sinceMs);
}

function isPersons(line: string, check: string | undefined): boolean {
  return lineEvents(line).some(
    (event) => (event.type === "user" || event.type === "queued") && !isOwnWords(event.text, check),
  );
}

const LOOKS = 12;
const LOOK_MS = 40;
const LAST_WORDS_BYTES = 1024 * 1024;
const ENOUGH_CHARACTERS = 120;

/**
 * Claude Code writes its transcript a moment later than it runs the hook of a stop. Waits, for half a second at most, until
 * what the agent said last is in there: the figure of the window comes with it.
 */
export async function lastWordsWritten(transcript: string, from: number, words: string): Promise<void> {
  const wanted = asWritten(words.trim().slice(0, ENOUGH_CHARACTERS));
  for (let look = 0; look < LOOKS; look++) {
    if ((await endOf(transcript, LAST_WORDS_BYTES, from)).includes(wanted)) return;
    await sleep(LOOK_MS);
  }
}
