import { MOST_CHARACTERS } from "../../agents/claude/own/hook-answer.ts";
import { frontMatter } from "../../util/front-matter.ts";
import type { Pending } from "../handoff/pending.ts";

/**
 * What a new session reads first, within what a hook may say. The document comes last: where it does not fit, its
 * beginning stands for it, and the session is told to read it.
 */
export function startContext(parts: readonly string[], document?: { path: string; whole: string }): string {
  const before = parts.filter((part) => part !== "").join("\n\n");
  if (!document) return before.slice(0, MOST_CHARACTERS);
  const room = MOST_CHARACTERS - before.length - 2;
  const text = document.whole.length <= room ? document.whole : beginningOf(document, room);
  return before === "" ? text : `${before}\n\n${text}`;
}

function beginningOf({ path, whole }: { path: string; whole: string }, room: number): string {
  const order = [
    `You take over work in progress. The handoff document is ${path}. It is too long to include here: read that file to its`,
    "end before you do anything else, then continue with its next steps. This is how it begins.",
    "",
  ].join("\n");
  const end = "\n… (the rest is in the file)";
  return `${order}\n${whole.slice(0, Math.max(0, room - order.length - end.length - 1))}${end}`;
}

export function takenUpMessage(number: number, path: string): string {
  return `This session continues from handoff ${number}: ${path}`;
}

/** To the person. */
export function pendingMessage({ number, document }: Pending): string {
  return `Handoff ${number} waits in this project: ${document}. /baton:continue picks it up.`;
}

/** To the agent, which is asked for something else perhaps. */
export function pendingContext({ number, document, created }: Pending): string {
  return [
    `In this project handoff ${number} of ${created.slice(0, 10)} waits to be picked up: ${document}.`,
    "Do not pick it up unasked. Where the user wants to continue earlier work, call the tool continue_handoff of the MCP",
    "server baton, or have them type /baton:continue.",
  ].join(" ");
}

/** The instructions of a skill, without what stands before them for the program. */
export function skillText(file: string): string {
  return frontMatter(file).body.trim();
}
