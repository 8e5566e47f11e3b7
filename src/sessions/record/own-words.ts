/** What Baton types at the prompt of the next session. Right also where the document is not in the window yet. */
export function continueLine(document: string): string {
  return `Continue the work from the handoff document ${document}. Read it first if it is not in your context yet.`;
}

/** Earlier versions of Baton typed "Go on with", and what they typed is still in transcripts. */
const OWN =
  /^\s*(?:<handoff-(?:request|context)[->]|(?:Continue|Go on with) the work from the handoff document )/;

/** What Baton itself typed in a person's place: nobody's request, and no constraint. `check`: what `baton watch` sends. */
export function isOwnWords(text: string, check: string | undefined): boolean {
  return OWN.test(text) || (check !== undefined && folded(text) === folded(check));
}

/** A line is typed with single spaces, however it is written in a configuration. */
function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
