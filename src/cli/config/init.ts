import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type InitialAnswers, objectionTo, writeInitial } from "../../app/config/init.ts";
import { UsageError } from "../../app/usage-error.ts";
import { print, printJson } from "../../display/print.ts";
import { onScreen } from "../../display/style.ts";
import { BrokenOffError } from "../exit.ts";

export interface InitOptions extends Partial<InitialAnswers> {
  force?: boolean;
  json?: boolean;
}

/** Asks on a terminal for what the options leave open; elsewhere takes the defaults. */
export async function init(options: InitOptions): Promise<number> {
  const path = join(process.cwd(), "baton.yaml");
  if (existsSync(path) && !options.force) {
    throw new UsageError(`${path} exists already. Edit it, or replace it with \`baton init --force\`.`);
  }
  const given = answersIn(options);
  const wrong = objectionTo(given, path);
  if (wrong !== undefined) throw new UsageError(wrong);
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.json;
  const answers = asks ? await asked(options, path) : given;
  await writeInitial(answers, path);
  if (options.json) printJson({ path });
  else {
    print(`Wrote ${path}\nStart a job with: baton run ${answers.name} "what to do"`);
    print("For a night without you, raise session.max_handoffs_per_job in it to 20 or so, and set limits.");
  }
  return 0;
}

function answersIn(options: InitOptions): InitialAnswers {
  const { name = "coder", model, directory, permissionMode = "acceptEdits" } = options;
  return { name, permissionMode, ...(model && { model }), ...(directory && { directory }) };
}

interface Question {
  key: keyof InitialAnswers;
  text: string;
  fallback: string;
}

/** `default` stands for leaving the model to Claude Code. */
const QUESTIONS: Question[] = [
  { key: "name", text: "What should the agent be called?", fallback: "coder" },
  { key: "model", text: "Which model? (default: what Claude Code is set to)", fallback: "default" },
  { key: "directory", text: "In which folder does it work?", fallback: "." },
  {
    key: "permissionMode",
    text: "What may it do without asking? (default, acceptEdits, bypassPermissions, plan, dontAsk, auto)",
    fallback: "acceptEdits",
  },
];

async function asked(options: InitOptions, path: string): Promise<InitialAnswers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Keeps lines that are typed or pasted before their question is asked.
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    terminal.setPrompt(onScreen(question));
    terminal.prompt();
    const { value, done } = await lines.next();
    if (done) {
      print();
      throw new BrokenOffError("Nothing was written.");
    }
    return value.trim();
  };
  try {
    let answers = answersIn(options);
    for (const question of QUESTIONS) {
      if (options[question.key] === undefined) answers = await answered(question, answers, path, ask);
    }
    return answers;
  } finally {
    terminal.close();
  }
}

/** Asks until the answer is one that the file can hold. */
async function answered(
  { key, text, fallback }: Question,
  answers: InitialAnswers,
  path: string,
  ask: (question: string) => Promise<string>,
): Promise<InitialAnswers> {
  for (;;) {
    const said = (await ask(`${text} [${fallback}] `)) || fallback;
    const more = key === "model" && said === "default" ? answers : { ...answers, [key]: said };
    const wrong = objectionTo(more, path);
    if (wrong === undefined) return more;
    print(wrong);
  }
}
