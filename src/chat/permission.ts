import type { PermissionAnswer, PermissionQuestion } from "../agents/permission.ts";
import { oneLine, type Paint } from "../display/style.ts";
import { fitted } from "../display/width.ts";

/** What a person's words mean as an answer. Whatever is no plain yes is a no, and the agent is told the words. */
export function answerIn(
  words: string,
  { questions }: Pick<PermissionQuestion, "questions"> = {},
): PermissionAnswer {
  if (questions) return { answer: "said", texts: [words.trim()] };
  switch (words.trim().toLowerCase()) {
    case "y":
    case "yes":
      return { answer: "once" };
    case "a":
    case "always":
      return { answer: "always" };
    case "n":
    case "no":
      return { answer: "no" };
    default:
      return { answer: "no", because: words.trim() };
  }
}

/** What the person is asked, on two lines. */
export function questionLines(
  { name, about, rule, questions }: PermissionQuestion,
  width: number,
  paint: Paint,
): string[] {
  const call = fitted(oneLine(`${name} ${about}`), width - 20);
  const [asked] = questions ?? [];
  if (asked) {
    const options = asked.options.map(({ label }) => oneLine(label)).join(", ");
    return [
      `${paint("yellow", "?")} ${paint("bold", fitted(oneLine(asked.question), width - 4))}`,
      paint("dim", `  ${fitted(`${options}, or in your own words, then Enter.`, width - 4)}`),
    ];
  }
  const always = fitted(oneLine(rule ?? "in this session"), width - 60);
  return [
    `${paint("yellow", "?")} Allow ${paint("bold", call)}`,
    paint(
      "dim",
      `  yes, no or always (${always}), then Enter. Anything else means no, and the agent is told what you wrote.`,
    ),
  ];
}
