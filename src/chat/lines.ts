import { eventLine } from "../display/event-line.ts";
import { markdown } from "../display/markdown.ts";
import { type Paint, printable } from "../display/style.ts";
import type { JournalEvent } from "../job/events.ts";

/** What of an event stays on the screen of a chat. Undefined where there is nothing to tell. */
export function chatLine(event: JournalEvent, paint: Paint): string | undefined {
  switch (event.type) {
    case "text":
      return event.text.trim() === "" ? undefined : `\n${markdown(event.text.trim(), paint)}`;
    case "message:sent":
      return event.kind === "request" || event.kind === "said"
        ? `\n${saidLine(event.text, paint)}`
        : undefined;
    case "session:starting":
      return event.mode === "resumed" ? paint("dim", "The session is resumed.") : undefined;
    case "context:handoff:start":
      return `\n${eventLine(event, paint)}`;
    case "context:handoff:complete":
      return paint("green", "New session started with handoff context");
    case "handoff:cancelled":
      return paint("yellow", "Handoff cancelled");
    case "handoff:failed":
      return paint("red", `Handoff failed: ${printable(event.message)}`);
    case "handoff:refused":
      return paint("yellow", printable(event.message));
    case "handoff:requested":
      return event.by === "agent" ? eventLine(event, paint) : undefined;
    case "job:created":
    case "job:completed":
    case "workspace:ready":
      return undefined;
    default:
      return eventLine(event, paint);
  }
}

/** What the person said, or is about to. */
export function saidLine(text: string, paint: Paint): string {
  return printable(text)
    .trim()
    .split("\n")
    .map((line, index) => `${paint(["bold", "cyan"], index === 0 ? "›" : " ")} ${paint("bold", line)}`)
    .join("\n");
}
