import { oneLine } from "./style.ts";

/** What was sent to an agent that has not heard it yet. */
export interface Waiting {
  /** By which it can be taken back. */
  id: number;
  text: string;
  at: "boundary" | "turn" | "end";
}

/** When an agent hears what it was sent. */
export function momentInWords(at: Waiting["at"]): string {
  switch (at) {
    case "boundary":
      return "at its next boundary";
    case "turn":
      return "when its turn is over";
    case "end":
      return "when everything else is done";
  }
}

export function messageWords({ id, text, at }: Waiting): string {
  return `${id}, ${momentInWords(at)}: ${oneLine(text)}`;
}
