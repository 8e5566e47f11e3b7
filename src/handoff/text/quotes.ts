/** Somebody else's words: no line of them can be taken for one of the document's. */
export function quote(text: string): string {
  return `> ${text.replaceAll("\n", "\n> ")}`;
}

/** What is left of a text that is too long to stand somewhere whole. */
export interface Brief {
  head: string;
  tail: string;
  /** Characters between them. */
  left: number;
}

/** The beginning and the end of a text, both of whole words. */
export function brief(text: string, most: { head: number; tail: number }): Brief {
  const head = text
    .slice(0, most.head)
    .replace(/\S{0,200}$/, "")
    .trimEnd();
  const tail = text
    .slice(-most.tail)
    .replace(/^\S{0,200}/, "")
    .trimStart();
  return { head, tail, left: text.length - head.length - tail.length };
}

/** The same as a text, with a mark where something is left out. */
export function joined({ head, tail, left }: Brief): string {
  return `${head}\n\n[… ${left.toLocaleString("en")} characters left out …]\n\n${tail}`;
}
