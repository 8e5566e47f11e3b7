import type { SentMessage } from "../../store/messages.ts";

/** Those that a session has not heard, by what stands in its transcript as the user's. What was sent twice must be there twice. */
export function notHeard(sent: readonly SentMessage[], transcript: readonly string[]): SentMessage[] {
  const left = [...transcript];
  const missing: SentMessage[] = [];
  for (const message of sent.toReversed()) {
    const at = left.findLastIndex((text) => holds(text, message.text));
    if (at === -1) missing.unshift(message);
    // One text can hold several messages, but each of them once.
    else left[at] = without(left[at] ?? "", message.text);
  }
  return missing;
}

/** As a paragraph of its own: a short message may be a part of many a sentence. */
function holds(text: string, message: string): boolean {
  return paragraphs(text).includes(paragraphs(message));
}

function without(text: string, message: string): string {
  return paragraphs(text).replace(paragraphs(message), "\n\n");
}

function paragraphs(text: string): string {
  return `\n\n${text.replace(/\r\n?/g, "\n").trim()}\n\n`;
}
