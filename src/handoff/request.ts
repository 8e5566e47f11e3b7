import { quotedLine } from "../util/frame.ts";
import { oneLine } from "../util/printable.ts";
import { SECTIONS } from "./account.ts";

const OPENING = "<handoff-request>";
const CLOSING = "</handoff-request>";
const IN_MARKDOWN = "If you do not have it, answer in Markdown with these headings:";
const MOST_OF_FOCUS = 500;
/** So that an account spends its words on what only its writer knows. */
const KNOWN_ALREADY =
  "Beside it, Baton gives that session the user's messages, files read, names in use, git, todos, commands, refused calls, the last test run and the last error. Do not list those again: spend your words on what only you know, which is why, what was tried, and what is next.";
const EXACTLY =
  "Quote the user's demands word for word, and each path, command and error that you mention exactly.";

interface RequestOptions {
  /** What the account should focus on. */
  focus?: string;
  /** The session itself said so, and not the user. */
  byAgent?: boolean;
  /** Sections of the user's template beyond our own. */
  extra?: readonly string[];
}

/** Asks a session for its account. Short, because it is asked when room is scarce. */
export function handoffRequest({ focus, byAgent = false, extra = [] }: RequestOptions): string {
  return [
    OPENING,
    "Your work is about to be handed over: a fresh session continues it in the same folder, from what you",
    `write now. Call the tool submit_handoff once, and no other tool. ${IN_MARKDOWN}`,
    "",
    ...SECTIONS.map(({ title, asks }) => `## ${title} (${asks})`),
    ...extra.map((title) => `## ${oneLine(title)}`),
    "",
    `Be short. ${EXACTLY}`,
    KNOWN_ALREADY,
    ...(focus
      ? [
          "",
          byAgent
            ? `You wanted it to focus on: ${quotedLine(focus, MOST_OF_FOCUS)}`
            : `The user asks you to focus on: ${focus}`,
        ]
      : []),
    CLOSING,
  ].join("\n");
}

/** Names exactly what the first account lacks. */
export function askAgain(shortfalls: readonly string[], byTool: boolean): string {
  return fallsShort(
    shortfalls,
    byTool
      ? "Call submit_handoff once more with the whole account, corrected."
      : "Answer once more with the whole document, corrected.",
  );
}

/** The same where it was written into a file and announced. */
export function announceAgain(shortfalls: readonly string[], path: string): string {
  return fallsShort(shortfalls, `Correct ${oneLine(path)}, and call handoff_created once more.`);
}

function fallsShort(shortfalls: readonly string[], then: string): string {
  return [
    OPENING,
    "Your handoff was checked against the facts, and this falls short:",
    "",
    ...shortfalls.map((shortfall) => `- ${oneLine(shortfall)}`),
    "",
    then,
    CLOSING,
  ].join("\n");
}

/** The same in a line that is typed into a person's session: all of it stands at their prompt for a moment. */
export function requestLine(): string {
  const headings = SECTIONS.map(({ title }) => `## ${title}`).join(", ");
  return [
    OPENING,
    "The window of this session is nearly full, and a fresh session will continue the work from what you write now.",
    `Call the tool submit_handoff of Baton once, and no other tool. ${IN_MARKDOWN} ${headings}. Be exact and short: Baton`,
    `adds messages, files, commands and errors by itself, so write why, what was tried and what is next. ${CLOSING}`,
  ].join(" ");
}

/**
 * The same from a hook of a person's session. They read it too, after "Stop hook error:", so it begins with what happens.
 * `used`: how full the window is.
 */
export function requestByHook(used: string): string {
  return [
    `${used}, so Baton hands this work over to a fresh session.`,
    "Call the tool submit_handoff of the MCP server baton now, once, and no other tool.",
    `The fresh session continues from what you write there. Be short. ${EXACTLY}`,
    KNOWN_ALREADY,
  ].join(" ");
}

/** Whether this was typed to have an account, or a better one. */
export function isRequest(text: string): boolean {
  return text.trimStart().startsWith(OPENING);
}
