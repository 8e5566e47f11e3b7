import { setTimeout as sleep } from "node:timers/promises";
import { endOf } from "../../files/end-of-file.ts";

const LOOKS = 12;
const LOOK_MS = 40;
const MOST_BYTES = 1024 * 1024;
const ENOUGH_CHARACTERS = 120;

/**
 * Claude Code writes its transcript a moment later than it runs the hook of a stop. Waits, for half a second at most, until
 * what the agent said last is in there: the figure of the window comes with it.
 */
export async function lastWordsWritten(transcript: string, from: number, words: string): Promise<void> {
  const wanted = JSON.stringify(words.trim().slice(0, ENOUGH_CHARACTERS)).slice(1, -1);
  for (let look = 0; look < LOOKS; look++) {
    if ((await endOf(transcript, MOST_BYTES, from)).includes(wanted)) return;
    await sleep(LOOK_MS);
  }
}
