import { eventLine, toned } from "../display/event-line.ts";
import { rendered } from "../display/markdown/render.ts";
import { type Paint, printable } from "../display/style.ts";
import { describe } from "../display/words.ts";
import type { JournalEvent } from "../job/events.ts";

/** What of an event stays on the screen of a chat. Undefined where there is nothing to tell. */
export function chatLine(event: JournalEvent, paint: Paint, width?: number): string | undefined {
  const told = describe(event);
  if (!told) return undefined;
  switch (event.type) {
    case "text":
      return `\n${rendered(told.text, paint, width)}`;
    case "message:sent":
      return `\n${saidLine(told.text, paint)}`;
    case "session:starting":
      return event.mode === "resumed" ? eventLine(event, paint, width) : undefined;
    case "context:handoff:start":
      return `\n${eventLine(event, paint, width)}`;
    case "context:handoff:complete":
    case "handoff:cancelled":
    case "handoff:failed":
    case "handoff:refused":
      return toned(told, paint);
    case "handoff:requested":
      return event.by === "agent" ? eventLine(event, paint, width) : undefined;
    // It is asked on the same screen.
    case "ask:made":
    case "job:created":
    case "job:completed":
    case "workspace:ready":
      return undefined;
    default:
      return eventLine(event, paint, width);
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
