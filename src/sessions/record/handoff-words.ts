import type { AskedHandoff, Hindrance, SessionHandoff } from "./handoff-state.ts";
import type { OwnSession } from "./session.ts";

/** How a session's handoff stands, for people: `2: asked for`. */
export function handoffInWords({ handoff, pane }: Pick<OwnSession, "handoff" | "pane">): string {
  return handoff ? `${handoff.number}: ${standing(handoff, pane !== null)}` : "";
}

function standing(handoff: SessionHandoff, inPane: boolean): string {
  switch (handoff.state) {
    case "asked":
      return asking(handoff);
    case "stored":
      return inPane ? `stored, waits ${waitingFor(handoff.waitsFor)}` : "stored";
    case "clearing":
      return "being passed on";
    case "cancelled":
      return "cancelled";
    case "taken-up":
      return "another session continues";
    case "pending":
      return isKept(handoff) ? "kept" : "waits for you";
    case "failed":
      return `failed, ${handoff.reason}`;
  }
}

function asking({ fromFacts, unanswered }: AskedHandoff): string {
  if (fromFacts) return "written from facts";
  return unanswered ? "asked for, not answered" : "asked for";
}

/** What must happen before the session is cleared. */
export function waitingFor(hindrance: Hindrance | undefined): string {
  switch (hindrance) {
    case undefined:
      return "for an empty prompt";
    case "written":
      return "until what is at the prompt is sent or deleted";
    case "typing":
      return "for a moment in which nobody types";
    case "shell":
      return "until the prompt is no shell's";
    case "working":
      return "for the end of the turn";
    case "dialog":
      return "until the dialog is closed";
    case "scrolling":
      return "until nobody scrolls in the pane";
  }
}

/** Written before the session was compacted, which then continued: nobody has to pick it up. */
export function isKept(handoff: SessionHandoff | null): boolean {
  return handoff?.state === "pending" && handoff.wentOn === true && handoff.outlived === true;
}
