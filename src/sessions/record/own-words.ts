/** What Baton itself typed in a person's place: nobody's request, and no constraint. `check`: what `baton watch` sends. */
export function isOwnWords(text: string, check: string | undefined): boolean {
  const isLine =
    /^\s*(?:<handoff-(?:request|context)[->]|Go on with the work from the handoff document )/.test(text);
  return isLine || (check !== undefined && folded(text) === folded(check));
}

/** A line is typed with single spaces, however it is written in a configuration. */
function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
