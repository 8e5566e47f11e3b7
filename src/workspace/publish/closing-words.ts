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
const WRITTEN = VERBS.flatMap((verb) => [verb, verb[0]?.toUpperCase() + verb.slice(1), verb.toUpperCase()]);
const REFERENCE = String.raw`(?:https?://[^\s<>()\x60]+|(?:[\w.-]+/[\w.-]+)?#\d+|[A-Z][A-Z\d]{0,19}-\d+)`;
const BETWEEN = String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)`;
const CLOSING = new RegExp(
  String.raw`(\b(?:${WRITTEN.join("|")}):?\s+(?:issues?\s+)?)(${REFERENCE}(?:${BETWEEN}${REFERENCE})*)`,
  "g",
);

/**
 * A forge closes issues for such words in a pull request or a commit, as soon as that is merged. With the numbers as code it reads
 * the same, and closes nothing.
 */
export function closingNothing(text: string): string {
  return text.replace(CLOSING, (_, words: string, references: string) => {
    return words + references.replace(new RegExp(REFERENCE, "g"), "`$&`");
  });
}
