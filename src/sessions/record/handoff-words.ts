import type { AskedHandoff, PendingHandoff, SessionHandoff } from "./handoff-state.ts";
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
      return inPane ? "stored, waits for an empty prompt" : "stored";
    case "clearing":
      return "being passed on";
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

/** Written before the session was compacted, which then continued: nobody has to pick it up. */
export function isKept(handoff: SessionHandoff | null): handoff is PendingHandoff {
  return handoff?.state === "pending" && handoff.wentOn === true && handoff.outlived === true;
}
