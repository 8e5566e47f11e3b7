/** How something is meant, for whoever has a colour or a sign for it. */
export type Tone = "good" | "bad" | "caution" | "plain" | "quiet";

export interface Fact {
  label: string;
  value: string;
  /** The value is an address to go to. */
  link?: true;
}

/**
 * What people are told about an event, before it is put into the form of one service. Hooks get it beside the payload,
 * because its words are those of every other face of Baton, `job/describe.ts`, and hooks are below jobs.
 */
export interface Message {
  tone: Tone;
  title: string;
  facts: Fact[];
  /** The request, the result or the error, in full length. */
  text: string;
}

/** So much of a text that its escaped form, with an ellipsis where it is cut, has at most `limit` characters. */
export function shortened(text: string, limit: number, escaped = (character: string) => character): string {
  const parts: string[] = [];
  let length = 0;
  // By characters, not code units: half of an emoji is no text.
  for (const character of text) {
    const part = escaped(character);
    if (length + part.length > limit) {
      while (length > limit - 1) length -= parts.pop()?.length ?? 0;
      return `${parts.join("")}…`;
    }
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}
