import { SECTIONS } from "./account.ts";

export interface RequestOptions {
  /** What the user wants the account to dwell on. */
  focus?: string;
  /** Sections of the user's template beyond our own. */
  extra?: readonly string[];
  /** The program has Baton's tool, so the account comes typed. */
  byTool: boolean;
}

/** Asks the live session for its account. Short, because it is asked when room is scarce. */
export function handoffRequest({ focus, extra = [], byTool }: RequestOptions): string {
  const how = byTool
    ? "Call the tool submit_handoff once, and no other tool. If you do not have it, answer in Markdown with these headings:"
    : "Answer with one Markdown document and call no tools. Use exactly these headings:";
  return [
    "<handoff-request>",
    "Your context window is to be handed over: a fresh session continues this work in the same folder, and it knows",
    `only what you write now. ${how}`,
    "",
    ...SECTIONS.map(({ title, asks }) => `## ${title} (${asks})`),
    ...extra.map((title) => `## ${title}`),
    "",
    "Be exact and short. Carry over word for word what the user demands, and exact commands, error texts and paths.",
    ...(focus ? ["", `The user asks you to dwell on: ${focus}`] : []),
    "</handoff-request>",
  ].join("\n");
}

/** Names exactly what the first account lacks. */
export function askAgain(shortfalls: readonly string[], byTool: boolean): string {
  return [
    "<handoff-request>",
    "Your handoff was checked against the facts, and this falls short:",
    "",
    ...shortfalls.map((shortfall) => `- ${shortfall}`),
    "",
    byTool
      ? "Call submit_handoff once more with the whole account, corrected."
      : "Answer once more with the whole document, corrected.",
    "</handoff-request>",
  ].join("\n");
}
