/** Without line breaks or runs of white space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
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
