import { SECTIONS } from "../../handoff/account.ts";
import { sectionNamed, sectionsOf } from "../../handoff/markdown.ts";

const LEAST_SECTIONS = 3;

/** Short, because all of it stands at a person's prompt for a moment. */
export function requestLine(): string {
  const headings = SECTIONS.map(({ title }) => `## ${title}`).join(", ");
  return [
    "<handoff-request> The window of this session is nearly full, and a fresh session shall continue the work: it knows",
    "only what you write now. Call the tool submit_handoff of Baton once, and no other tool. If you do not have it,",
    `answer in Markdown with these headings: ${headings}. Be exact and short. </handoff-request>`,
  ].join(" ");
}

/** Whether this was typed to have a handoff, or a better one. */
export function isRequest(text: string): boolean {
  return text.trimStart().startsWith("<handoff-request>");
}

/** An answer in words that has enough of the sections to be a handoff. */
export function isAccount(answer: string): boolean {
  if (answer === "") return false;
  const known = new Set(sectionsOf(answer).flatMap(({ title }) => sectionNamed(title) ?? []));
  return known.size >= Math.min(LEAST_SECTIONS, SECTIONS.length);
}
