export interface Continuation {
  /** `work`: of sessions that people started, which are no job. */
  of: "job" | "work";
  number: number;
  document: string;
  documentPath: string;
  previous: string | null;
  request: string;
  /** What the documents of this job list as done. */
  ledger: readonly string[];
  previousSession: string | null;
  transcript: string | null;
}

/** What the next session reads first. */
export function continuationPrompt(next: Continuation): string {
  const chain = next.previous === null ? "" : ` The one before it: ${next.previous}.`;
  const look = [
    next.transcript ? `the earlier session's transcript is ${next.transcript}` : "",
    next.previousSession ? `its session id is ${next.previousSession}` : "",
  ].filter(Boolean);
  return [
    `You take over work in progress. This is handoff ${next.number} of this ${next.of}, in ${next.documentPath}.${chain}`,
    "An earlier session wrote down where it stood, and you continue from there in the same folder.",
    "",
    "<handoff-context>",
    next.document.trim(),
    "</handoff-context>",
    "",
    "The request of the user, word for word:",
    "",
    "<original-request>",
    next.request,
    "</original-request>",
    "",
    ...(next.ledger.length > 0
      ? ["Done already, not to be done again:", ...next.ledger.map((item) => `- ${item}`), ""]
      : []),
    "Continue with the next steps in the document. Do not redo what is done and do not start over: check the state of the",
    "files where you are in doubt. The user's constraints still hold, all of them.",
    ...(look.length > 0 ? [`To look up what the document leaves out: ${look.join("; ")}.`] : []),
  ].join("\n");
}

/** What a session reads first where a person talks to it: it does what they say, and not what came next before. */
export function withMessage(before: string, message: string): string {
  return `${before}\n\nThe user is here and says to you now, and this comes before any next step:\n\n${message}`;
}

/** Sent to a session that was cut off and is resumed. */
export function resumePrompt(): string {
  return [
    "You were interrupted and are now resumed in the same folder. A tool call that was running may or may not",
    "have taken effect, even where its result says that the user rejected it: nobody did. Check before you repeat it.",
    "Then continue the work from where you were.",
  ].join("\n");
}

/** Sent after a limit or an API failure has passed, in a session that is still alive. */
export function goOnPrompt(): string {
  return "The last request to the model did not go through. Continue the work from where you were.";
}

/** Sent when a handoff was called off while the session was writing it. */
export function calledOffPrompt(): string {
  return "The handoff is called off. Continue the work from where you were.";
}

/** The same where a person is to say what comes next. */
export function notWantedPrompt(): string {
  return "The handoff is called off: do not write it.";
}
