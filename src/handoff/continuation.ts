import { SECTIONS } from "./document.ts";

/** Asks the live session for its account. Short, because it is asked when room is scarce. */
export function handoffRequest(): string {
  return [
    "<handoff-request>",
    "Your context window is nearly full. A fresh session will go on with this work in the same folder, and it will",
    "know only what you write now. Answer with one Markdown document and call no tools. Use exactly these headings:",
    "",
    ...SECTIONS.map((section) => `## ${section}`),
    "",
    "Carry over word for word: the user's constraints, exact commands, exact error texts, paths. Under Progress say what",
    "is done, what is in progress and what is pending. Give the reason for each decision, and say what was tried and",
    "did not work, so that it is not tried again.",
    "</handoff-request>",
  ].join("\n");
}

export interface Continuation {
  number: number;
  document: string;
  documentPath: string;
  request: string;
  previousSession: string;
  transcript?: string;
}

/** What the next session reads first. */
export function continuationPrompt(next: Continuation): string {
  return [
    `You take over work in progress. This is handoff ${next.number} of this job: an earlier session filled its context window,`,
    "wrote down where it stood, and you go on from there in the same folder.",
    "",
    `<handoff-context source="${next.documentPath}">`,
    next.document.trim(),
    "</handoff-context>",
    "",
    "The request of the user, word for word:",
    "",
    "<original-request>",
    next.request,
    "</original-request>",
    "",
    "Go on from the next steps in the document. Do not redo what it lists as done, and do not start over: check the",
    "state of the files where you are in doubt. The user's constraints still hold, all of them.",
    next.transcript
      ? `What the document leaves out can be looked up in the earlier session's transcript: ${next.transcript} (session ${next.previousSession}).`
      : `The earlier session was ${next.previousSession}.`,
  ].join("\n");
}

/** Sent to a session that was cut off and is taken up again. */
export function resumePrompt(): string {
  return [
    "You were interrupted and are now taken up again in the same folder. A tool call that was running may or may not",
    "have taken effect: check before you repeat it. Then go on with the work from where you were.",
  ].join("\n");
}

/** Sent after a limit or an API failure has passed, in a session that is still alive. */
export function goOnPrompt(): string {
  return "The last request to the model did not go through. Go on with the work from where you were.";
}
