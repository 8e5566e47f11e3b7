/** Far more than any has. A longer one counts as none. */
export const FRONT_MATTER_CHARACTERS = 64 * 1024;

const CLOSING = /\r?\n---\r?\n/;

/** A text in two: what stands between two lines of dashes at its beginning, undefined where there is none, and the rest. */
export function frontMatter(text: string): { front: string | undefined; body: string } {
  const start = opening(text);
  if (start === undefined) return { front: undefined, body: text };
  const found = CLOSING.exec(text.slice(start, start + FRONT_MATTER_CHARACTERS + MARK));
  if (!found) return { front: undefined, body: text };
  const front = text.slice(start, start + found.index);
  return { front, body: text.slice(start + found.index + found[0].length) };
}

/** It has one, that is longer than any may be. */
export function hasOverlongFront(text: string): boolean {
  const start = opening(text);
  return start !== undefined && frontMatter(text).front === undefined && CLOSING.test(text.slice(start));
}

const MARK = "\r\n---\r\n".length;

function opening(text: string): number | undefined {
  return /^---\r?\n/.exec(text)?.[0].length;
}
