import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { UsageError } from "../../app/usage-error.ts";
import { checkPaths } from "../../config/check-paths.ts";
import { ConfigError } from "../../config/error.ts";
import { initialConfig, SCHEMA_PATH } from "../../config/initial.ts";
import { configSchema } from "../../config/keys/files.ts";
import { parseConfig } from "../../config/layers/parse.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { BrokenOffError } from "../exit.ts";

export interface InitOptions extends Partial<Answers> {
  force?: boolean;
  json?: boolean;
}

interface Answers {
  name: string;
  model?: string;
  directory?: string;
  permissionMode?: string;
}

/** Asks on a terminal for what the options leave open; elsewhere takes the defaults. */
export async function init(options: InitOptions): Promise<number> {
  const path = join(process.cwd(), "baton.yaml");
  if (existsSync(path) && !options.force) {
    throw new UsageError(`${path} exists already. Edit it, or replace it with \`baton init --force\`.`);
  }
  const given = answersIn(options);
  const wrong = objection(given, path);
  if (wrong !== undefined) throw new UsageError(wrong);
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.json;
  const answers = asks ? await asked(options, path) : given;
  writeSchema();
  writeFileSync(path, initialConfig(answers));
  if (options.json) console.log(JSON.stringify({ path }));
  else console.log(`Wrote ${path}\nStart a job with: baton run ${answers.name} "what to do"`);
  return 0;
}

/** Beside the jobs of the project, and like them not for git: it is of the Baton that is installed here. */
function writeSchema(): void {
  const path = join(process.cwd(), SCHEMA_PATH);
  makeOwnFolder(dirname(path));
  writeFileSync(path, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
}

function answersIn(options: InitOptions): Answers {
  const { name = "coder", model, directory, permissionMode = "acceptEdits" } = options;
  return { name, permissionMode, ...(model && { model }), ...(directory && { directory }) };
}

/** What the file that follows from these answers would be refused for. */
function objection(answers: Answers, path: string): string | undefined {
  try {
    const config = parseConfig(initialConfig(answers), path, homedir());
    for (const agent of config.agents) checkPaths(config, agent);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message, fix }) => `${message}\n  ${fix}`).join("\n");
  }
}

interface Question {
  key: keyof Answers;
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

async function asked(options: InitOptions, path: string): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Keeps lines that are typed or pasted before their question is asked.
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    terminal.setPrompt(question);
    terminal.prompt();
    const { value, done } = await lines.next();
    if (done) {
      console.log();
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
  answers: Answers,
  path: string,
  ask: (question: string) => Promise<string>,
): Promise<Answers> {
  for (;;) {
    const said = (await ask(`${text} [${fallback}] `)) || fallback;
    const more = key === "model" && said === "default" ? answers : { ...answers, [key]: said };
    const wrong = objection(more, path);
    if (wrong === undefined) return more;
    console.log(wrong);
  }
}
