import type { PermissionAnswer } from "../../agents/permission.ts";
import type { Ask } from "../../job/asks/asks.ts";

/** What an agent hears of an answer to a program that was closed meanwhile. */
export function toldLater({ name, summary, questions }: Ask, answer: PermissionAnswer): string {
  if (questions) {
    const said = answer.answer === "said" ? answer.texts : [];
    const asked = questions.map(({ question }, index) => `"${question}": ${said[index] ?? "no answer"}`);
    return `You had asked, and this is the answer:\n${asked.join("\n")}`;
  }
  const call = `${name}: ${summary}`;
  if (answer.answer === "no") {
    return `You had asked whether you may make this call, and the answer is no${answer.because ? `: ${answer.because}` : "."}\n${call}`;
  }
  return `You had asked whether you may make this call, and the answer is yes. It was not made: make it again, with exactly the same input.\n${call}`;
}
