import { isFields } from "../../util/json.ts";
import { textField } from "../call-input.ts";
import type { AgentQuestion, PermissionAnswer } from "../permission.ts";

const TOOL = "AskUserQuestion";

/** What the agent wants to know of a person, where a call is to ask them. Undefined where it is any other call. */
export function questionsIn(name: string, input: unknown): AgentQuestion[] | undefined {
  const listed = name === TOOL && isFields(input) ? input.questions : undefined;
  if (!Array.isArray(listed)) return undefined;
  const questions = listed.flatMap((each): AgentQuestion[] => {
    const question = textField(each, "question");
    if (question === undefined) return [];
    const options = isFields(each) && Array.isArray(each.options) ? each.options : [];
    const several = isFields(each) && each.multiSelect === true;
    return [{ question, options: options.flatMap(optionIn), ...(several && { several }) }];
  });
  return questions.length > 0 ? questions : undefined;
}

function optionIn(option: unknown): AgentQuestion["options"] {
  const label = textField(option, "label");
  const description = textField(option, "description");
  return label === undefined ? [] : [{ label, ...(description !== undefined && { description }) }];
}

/** The same call with what the person said: the tool gives that to the model. */
export function answered(
  input: Record<string, unknown>,
  questions: readonly AgentQuestion[] = [],
  { texts }: Extract<PermissionAnswer, { answer: "said" }>,
): Record<string, unknown> {
  const answers = questions.map(({ question }, index) => [question, texts[index] ?? ""]);
  return { ...input, answers: Object.fromEntries(answers) };
}
