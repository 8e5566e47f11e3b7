import { type Brief, brief } from "../text/quotes.ts";

/** A message of the user: how it stands in the document, and whether all of it does. */
export type Told = { text: string } & (
  | { kind: "whole" }
  | { kind: "brief"; brief: Brief }
  | { kind: "aside" }
);

/** What is longer stands whole beside the document. */
const LONG = 4_000;
const OF_A_LONG_ONE = { head: 1_200, tail: 500 };
/** Where all of them together are too long: of one that could still stand whole. */
const OF_ANY = { head: 300, tail: 150 };
const SHORT = 600;

/** Whether a text of the user's is told in brief wherever it stands. */
export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** Its beginning and its end, where it is long. */
export function briefly(text: string): Brief {
  return brief(text, OF_A_LONG_ONE);
}

/**
 * The messages of the user, oldest first, in at most so many characters: long ones in brief, then the longest of the others, then
 * the oldest only beside the document. The newest is the last to be shortened.
 */
export function toldWords(messages: readonly string[], most: number): Told[] {
  const told = messages.map((text): Told => {
    return isLong(text) ? { kind: "brief", text, brief: briefly(text) } : { kind: "whole", text };
  });
  let room = most - told.reduce((sum, one) => sum + lengthOf(one), 0);
  const change = (index: number, to: Told) => {
    room += lengthOf(told[index] ?? to) - lengthOf(to);
    told[index] = to;
  };
  const older = [...told.keys()].slice(0, -1);
  const longest = older.toSorted((a, b) => lengthOf(told[b]) - lengthOf(told[a]));
  for (const index of longest) {
    const text = messages[index] ?? "";
    if (room >= 0 || text.length <= SHORT) break;
    change(index, { kind: "brief", text, brief: brief(text, OF_ANY) });
  }
  for (const index of older) {
    if (room >= 0) break;
    change(index, { kind: "aside", text: messages[index] ?? "" });
  }
  return told;
}

function lengthOf(told: Told | undefined): number {
  switch (told?.kind) {
    case "whole":
      return told.text.length;
    case "brief":
      return told.brief.head.length + told.brief.tail.length;
    default:
      return 0;
  }
}
