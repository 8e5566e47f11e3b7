import { createInterface } from "node:readline/promises";
import type { Project } from "../../app/project.ts";
import { refuseInsideAgent } from "../../app/trust/person.ts";
import { agreeTo, isSettled, reviewOf } from "../../app/trust/review.ts";
import { print } from "../../display/print.ts";
import { onScreen } from "../../display/style.ts";
import { BrokenOffError } from "../exit.ts";
import { reviewText } from "./review-text.ts";

/**
 * On a terminal, asks about what a project would do before it does it for the first time. Elsewhere the gate refuses, and
 * says what to type.
 */
export async function agreeFirst(project: Project, { json }: { json?: boolean }): Promise<void> {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) return;
  const review = await reviewOf(project);
  if (isSettled(review)) return;
  await refuseInsideAgent();
  print(reviewText(review));
  if (await saysYes("Trust exactly this, and start? [y/N] ")) return agreeTo(project, review);
  // The agent's program can do without its own files.
  if (review.parts.length + review.files.length + review.state.length > 0)
    throw new BrokenOffError("Nothing was started.");
}

export async function saysYes(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await answerTo(question));
}

/** What a person at the terminal answers; `n` where they end their input instead. */
export async function answerTo(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("n")));
  const answer = await Promise.race([terminal.question(onScreen(question)).catch(() => "n"), closed]);
  terminal.close();
  return answer.trim();
}
