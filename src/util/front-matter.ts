/** A text in two: what stands between two lines of dashes at its beginning, undefined where there is none, and the rest. */
export function frontMatter(text: string): { front: string | undefined; body: string } {
  const [, front, body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? [];
  return { front, body };
}
