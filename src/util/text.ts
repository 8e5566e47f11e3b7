/** Its lines with `by` between them, without the space around each. */
export function joinedLines(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(by);
}

/** Without these characters at its end. A pattern such as `/-+$/` would look at a long run again from each of its signs. */
export function withoutEnding(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** How long the longest run of a character is. */
export function longestRun(text: string, character: string): number {
  let [longest, run] = [0, 0];
  for (const each of text) {
    run = each === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

/** The beginning of a text, up to the end of a word: see `lastWords`. */
export function firstWords(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const space = text.slice(0, limit + 1).search(/\s\S*$/);
  return `${space === -1 ? "" : text.slice(0, space).trimEnd()}…`;
}

/**
 * The end of a text, from the beginning of a word on: half a word may be half a secret, which nobody would know for one.
 */
export function lastWords(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(-limit);
  const space = end.search(/\s/);
  return `…${space === -1 ? "" : end.slice(space + 1)}`;
}
