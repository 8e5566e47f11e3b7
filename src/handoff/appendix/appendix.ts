import { createHash } from "node:crypto";
import type { LineRange } from "../../agents/events.ts";

/** Something that a document has no room for, whole. */
export interface AppendixPart {
  title: string;
  text: string;
}

export interface Appendix {
  text: string;
  /** Where each part stands in it, in their order. */
  places: LineRange[];
}

const BEGINNING = "What the handoff document has no room for, word for word.";

/** Nothing of a part is changed: whoever reads it reads what was said. */
export function renderAppendix(parts: readonly AppendixPart[]): Appendix {
  const lines = [BEGINNING];
  const places = parts.map(({ title, text }) => {
    lines.push("", `===== ${title} =====`, "");
    const from = lines.length + 1;
    lines.push(...text.split("\n"));
    return { from, to: lines.length };
  });
  return { text: `${lines.join("\n")}\n`, places };
}

const NAME = /^appendix-\d{4}-\d{2}-\d{2}-\d{6}-[\da-f]{12}\.txt$/;

/**
 * The name of an appendix, which no other has: it keeps it wherever its document goes. `of`: what no other handoff has, such
 * as its session and its number.
 */
export function appendixName(stamp: string, of: string, text: string): string {
  const mark = createHash("sha256").update(`${of}\0${text}`).digest("hex").slice(0, 12);
  return `appendix-${stamp}-${mark}.txt`;
}

/** A document may be anybody's, and name anything. */
export function isAppendixName(name: string): boolean {
  return NAME.test(name);
}
