import { say } from "./said.tsx";

/** Puts words where the person can paste them. A page that another machine shows over plain HTTP may not: it shows them. */
export async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(`This browser lets no page copy here. Copy it yourself: ${text}`, true);
  }
}
