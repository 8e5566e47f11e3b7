import { type Answered, answerAsk, type Reply } from "../../app/inbox/answer.ts";
import { findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { printJson, printWords } from "../../display/print.ts";

export interface AnswerOptions {
  config?: string;
  json?: boolean;
  always?: boolean;
}

export async function approve(id: string, options: AnswerOptions): Promise<number> {
  if (options.always && !options.json) {
    const { allowDenied } = await import("./always.ts");
    const isAdded = await allowDenied(findProject(options), id);
    if (isAdded !== undefined) return isAdded ? 0 : 1;
  }
  const always = await fromNowOn(id, "allowed_tools", options);
  return give(id, { answer: "yes", ...(always && { always }) }, options);
}

export async function deny(id: string, because: string | undefined, options: AnswerOptions): Promise<number> {
  await fromNowOn(id, "denied_tools", options);
  return give(id, { answer: "no", ...(because && { because }) }, options);
}

export async function answer(id: string, texts: string[], options: AnswerOptions): Promise<number> {
  return give(id, { answer: "text", texts }, options);
}

async function fromNowOn(
  id: string,
  key: "allowed_tools" | "denied_tools",
  options: AnswerOptions,
): Promise<boolean> {
  if (!options.always) return false;
  if (options.json) throw new UsageError("--always asks you on the terminal. Leave --json out.");
  const { keepFromNowOn } = await import("./always.ts");
  return keepFromNowOn(findProject(options), id, key);
}

async function give(id: string, reply: Reply, options: AnswerOptions): Promise<number> {
  const answered = await answerAsk(findProject(options), id, reply);
  if (options.json) printJson(answered);
  else printWords(answeredInWords(answered));
  return 0;
}

export function answeredInWords({ ask, job, state }: Answered): string {
  switch (state) {
    case "delivered":
      return `Delivered: the agent of ${job} has your answer to ${ask}.`;
    case "continues":
      return `Recorded. The fleet continues ${job} with your answer to ${ask}.`;
    case "resume":
      return `Recorded. ${job} has stopped meanwhile, and gets your answer to ${ask} when it continues: baton resume ${job}`;
  }
}
