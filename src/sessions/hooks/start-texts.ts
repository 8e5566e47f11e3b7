import { MOST_CHARACTERS } from "../../agents/claude/own/hook-answer.ts";
import { framed } from "../../util/frame.ts";
import { frontMatter } from "../../util/front-matter.ts";
import { oneLine } from "../../util/printable.ts";
import type { Pending } from "../handoff/pending.ts";

interface Given {
  path: string;
  /** The document itself. */
  text: string;
  /** All that a session is told that continues from it. */
  whole: string;
  tag: string;
}

/**
 * What a new session reads first, within what a hook may say. The document comes last: where it does not fit, its
 * beginning stands for it, and the session is told to read it.
 */
export function startContext(parts: readonly string[], document?: Given): string {
  const before = parts.filter((part) => part !== "").join("\n\n");
  if (!document) return before.slice(0, MOST_CHARACTERS);
  const room = MOST_CHARACTERS - before.length - 2;
  const text = document.whole.length <= room ? document.whole : beginningOf(document, room);
  return before === "" ? text : `${before}\n\n${text}`;
}

function beginningOf({ path, text, tag }: Given, room: number): string {
  const order = [
    `You take over work in progress. The handoff document is ${oneLine(path)}. It is too long to include here: read that file to its`,
    "end before you do anything else, then continue with its next steps. This is how it begins.",
    "",
  ].join("\n");
  const source = "the beginning of the handoff document that an earlier session wrote";
  const framing = (beginning: string) =>
    `${order}\n${framed({ kind: "handoff-context", source, text: `${beginning}\n… (the rest is in the file)`, tag })}`;
  return framing(text.slice(0, Math.max(0, room - framing("").length)));
}

/** `waits`: they asked for it between two turns, and say what comes next. */
export function takenUpMessage(number: number, path: string, waits: boolean): string {
  const then = waits ? ". It waits for you: say what comes next." : "";
  return oneLine(`This session continues from handoff ${number}: ${path}${then}`);
}

/** To the agent, beside the document. */
export const waitsContext =
  "The user asked for the handoff below, and is here: what they say to you now comes before any next step in the document.";

/** `recorded`: Baton itself has recorded that it waits. */
export interface Waiting extends Pending {
  recorded: boolean;
}

/** To the person, the newest first. Empty where none waits. */
export function pendingMessage(waiting: readonly Waiting[]): string {
  const [newest] = waiting;
  if (!newest) return "";
  if (waiting.length > 1) return severalMessage(waiting);
  const { number, document, recorded } = newest;
  if (recorded)
    return oneLine(`Handoff ${number} waits in this project: ${document}. /baton:continue picks it up.`);
  return oneLine(
    `A file in this project says that a handoff waits: ${document.slice(0, LONGEST_PATH)}. Baton has no record of it. Look at it before you have it picked up with /baton:continue.`,
  );
}

const LONGEST_PATH = 300;
const MOST_NAMED = 3;

function severalMessage(waiting: readonly Waiting[]): string {
  const named = waiting.slice(0, MOST_NAMED).map(({ number, document, created, recorded }) => {
    const strange = recorded ? "" : ", of which Baton has no record";
    const day = created.slice(0, 16).replace("T", " ");
    return oneLine(`- handoff ${number} of ${day}: ${document.slice(0, LONGEST_PATH)}${strange}`);
  });
  const more = waiting.length - named.length;
  return [
    `${waiting.length} handoffs wait in this project:`,
    ...named,
    ...(more > 0 ? [`- and ${more} more: \`baton handoffs\` lists them`] : []),
    "/baton:continue <document> picks one up; `baton handoff dismiss <document>` removes one from this list.",
  ].join("\n");
}

/** To the agent, which is asked for something else perhaps. What nobody here recorded does not get a word in. */
export function pendingContext(waiting: readonly Waiting[]): string {
  if (waiting.length === 0) return "";
  const known = waiting.filter(({ recorded }) => recorded).slice(0, MOST_NAMED);
  const named = known.map(
    ({ number, created, document }) =>
      `In this project handoff ${number} of ${oneLine(created.slice(0, 10))} waits to be picked up: ${oneLine(document)}.`,
  );
  return [
    ...(named.length > 0
      ? named
      : ["A file of this project says that a handoff waits to be picked up, but Baton has no record of it."]),
    known.length > 1 ? "Do not pick any up unasked." : "Do not pick it up unasked.",
    "Where the user wants to continue earlier work, call the tool continue_handoff of the MCP",
    "server baton, or have them type /baton:continue.",
  ].join(" ");
}

/** A document that was stored before a compaction. */
export interface Kept {
  number: number;
  path: string;
}

export function compactedMessage({ number, path }: Kept): string {
  return oneLine(`This session was compacted. What it held before that is in handoff ${number}: ${path}`);
}

export function compactedContext({ number, path }: Kept): string {
  return [
    `This session was compacted just now. Before that, Baton stored handoff ${number} of it: ${oneLine(path)}.`,
    "Continue as you are. Read that file where your summary lacks something that you need, such as exact commands, decisions",
    "or what the user demanded.",
  ].join(" ");
}

/** A session that was killed, and what is left of it. */
export interface Killed {
  id: string;
  inTurn: boolean;
  /** Its conversation is there. */
  isResumable: boolean;
  /** Its document tells all of it. */
  isStored: boolean;
  document?: Kept;
}

export function killedMessage({ id, inTurn, isResumable, isStored, document }: Killed): string {
  const before = "The session before this one in this pane was killed";
  if (isStored && document) {
    const { number, path } = document;
    return oneLine(`${before} after it had stored handoff ${number}: ${path}. /baton:continue picks it up.`);
  }
  const when = inTurn ? " in the middle of its turn" : "";
  const resume = isResumable ? ` \`claude --resume ${id}\` continues it.` : "";
  const more = document ? ` Its handoff ${document.number}, from before that, is in ${document.path}` : "";
  return oneLine(`${before}${when}.${resume}${more}`);
}

/** To the agent, which may be asked what became of it. */
export function killedContext(killed: Killed): string {
  return [
    `${killedMessage(killed)} That is for the user to decide. Do not pick it up unasked.`,
    "Where they want that handoff, call the tool continue_handoff of the MCP server baton with its document.",
  ].join(" ");
}

/** The instructions of a skill, without what stands before them for the program. */
export function skillText(file: string): string {
  return frontMatter(file).body.trim();
}
