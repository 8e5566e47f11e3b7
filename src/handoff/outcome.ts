import type { HandoffOutcome } from "./document.ts";

const WORDS: Record<HandoffOutcome, string> = {
  written: "written",
  mended: "completed from facts",
  "from-facts": "from facts",
  cancelled: "cancelled",
  failed: "failed",
};

/** How a handoff came about, for people. Documents and JSON have the value itself. */
export function outcomeInWords(outcome: HandoffOutcome): string {
  return WORDS[outcome];
}

/** Of a document that anybody may have written. */
export function writtenOutcome(outcome: string | null): string {
  return Object.entries(WORDS).find(([value]) => value === outcome)?.[1] ?? outcome ?? "";
}
