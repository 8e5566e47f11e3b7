import { todoSummary } from "../../agents/todos.ts";
import { percent, tokens } from "../../util/figures.ts";
import { oneLine } from "../../util/printable.ts";
import { documentOf } from "../record/handoff-questions.ts";
import { ASKED_AGAIN_AFTER } from "../record/handoff-state.ts";
import { handoffInWords, isKept } from "../record/handoff-words.ts";
import type { ContextFigure } from "../record/session.ts";
import type { Saying } from "./moment.ts";

type Said<S extends Saying["say"]> = Extract<Saying, { say: S }>;

/** What a person reads who asks how their session stands. */
export function statusText({ session, handoffAt }: Said<"status">): string {
  const { figure, handoff, reading, settings } = session;
  const todos = todoSummary(reading?.about?.todos.todos);
  return [
    figure
      ? used(figure)
      : "The agent has not answered yet, so it is not known how full the context window is.",
    figure && handoffAt !== undefined ? whenHandedOver(figure, handoffAt) : "",
    settings?.enabled === false
      ? "Baton does not hand the work over by itself: handoff.enabled is false."
      : "",
    handoff ? `Handoff ${oneLine(handoffInWords(session))}.` : "No handoff is under way.",
    todos ? `Todos: ${todos}.` : "",
    settings?.problem === undefined ? "" : defaultsMessage(settings.problem),
  ]
    .filter(Boolean)
    .join("\n");
}

function used({ tokens: counted, window, pending = 0, turnsLeft, source }: ContextFigure): string {
  const count = Math.min(counted + pending, window);
  const sign = pending > 0 || source === "estimate" ? "About " : "";
  const left = turnsLeft === undefined ? "" : `, and at this pace it is full in ${turns(turnsLeft)}`;
  return `${sign}${tokens(count)} of ${tokens(window)} tokens (${percent((count / window) * 100)}) of the context window are used${left}.`;
}

function whenHandedOver({ tokens: counted, pending = 0, window }: ContextFigure, handoffAt: number): string {
  const at = percent((handoffAt / window) * 100);
  return counted + pending < handoffAt
    ? `At ${at} Baton hands the work over to a fresh session.`
    : `That is over the ${at} at which Baton hands the work over to a fresh session.`;
}

/** What a person reads who does not want a handoff after all. */
export function cancelledText({ handoff, before }: Said<"cancelled">): string {
  if (handoff) {
    const { number } = handoff;
    const document = documentOf(handoff);
    const what =
      document === undefined
        ? ""
        : ` The session is not cleared, and the document stays: ${oneLine(document)}.`;
    return `Handoff ${number} is cancelled.${what} Baton asks again when another ${ASKED_AGAIN_AFTER}% of the window is used; /baton:handoff asks at once.`;
  }
  if (before?.state === "clearing")
    return `Handoff ${before.number} is being passed on, so it can no longer be cancelled.`;
  if (before?.state === "pending" && !isKept(before))
    return `Handoff ${before.number} waits to be picked up. To stop offering it: baton handoff dismiss ${oneLine(before.documentPath)}`;
  return "There is no handoff to cancel.";
}

/** To the person, whose settings do not count meanwhile. */
export function defaultsMessage(problem: string): string {
  return `Baton's configuration cannot be read, so the defaults apply in this session: ${oneLine(problem)}. \`baton config check\` says more.`;
}

function turns(count: number): string {
  return count === 1 ? "1 turn" : `${count} turns`;
}
