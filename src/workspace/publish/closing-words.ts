const VERBS = [
  ...["close", "closes", "closed", "closing", "fix", "fixes", "fixed", "fixing"],
  ...[
    "resolve",
    "resolves",
    "resolved",
    "resolving",
    "implement",
    "implements",
    "implemented",
    "implementing",
  ],
  ...["complete", "completes", "completed", "completing"],
];
/** In letters of any size; names of items in Linear are in capitals. */
const WRITTEN = VERBS.map((verb) => verb.replace(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`));
const REFERENCE = String.raw`(?:https?://[^\s<>()\x60]+|(?:[\w.-]+/[\w.-]+)?#\d+|[A-Z][A-Z\d]{0,19}-\d+)`;
const BETWEEN = String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)`;
const CLOSING = new RegExp(
  String.raw`(\b(?:${WRITTEN.join("|")}):?\s+(?:issues?\s+)?)(${REFERENCE}(?:${BETWEEN}${REFERENCE})*)`,
  "g",
);

/** What a forge closes for the words of a text. */
export function closedBy(text: string): string[] {
  return [...text.matchAll(CLOSING)].flatMap(
    ([, , references = ""]) => references.match(new RegExp(REFERENCE, "g")) ?? [],
  );
}

/**
 * A forge closes issues for such words in a pull request or a commit, as soon as that is merged. With the numbers as code it reads
 * the same, and closes nothing.
 */
export function closingNothing(text: string): string {
  return text.replace(CLOSING, (_, words: string, references: string) => {
    return words + references.replace(new RegExp(REFERENCE, "g"), "`$&`");
  });
}
