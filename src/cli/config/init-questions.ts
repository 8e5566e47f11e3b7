import { createInterface } from "node:readline";
import { type EngineName, engineHere, objectionTo, testsFor } from "../../app/config/init.ts";
import { print, printWords } from "../../display/print.ts";
import { onScreen } from "../../display/style.ts";
import { BrokenOffError } from "../exit.ts";
import { isMay, MAY, type May } from "./may.ts";

/** What a person is asked, unless an option says it. */
export interface Asked {
  name: string;
  model: string;
  directory: string;
  may: May;
  tests: string;
  engine: EngineName;
  image: string;
}

type Answers = Partial<Asked>;
type Ask = (question: string) => Promise<string>;

/** What a person at the terminal answers. An answer that cannot be is asked for again. */
export async function askedOf(given: Answers & { permissionMode?: string }, path: string): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Keeps lines that are typed or pasted before their question is asked.
  const lines = terminal[Symbol.asyncIterator]();
  const ask: Ask = async (question) => {
    const rows = question.split("\n");
    for (const row of rows.slice(0, -1)) print(row);
    terminal.setPrompt(onScreen(rows.at(-1) ?? ""));
    terminal.prompt();
    const { value, done } = await lines.next();
    if (done) {
      print();
      throw new BrokenOffError("Nothing was written.");
    }
    return value.trim();
  };
  try {
    let answers: Answers = { ...given };
    for (const question of QUESTIONS) {
      if (answers[question.key] === undefined) answers = await answered(question, answers, path, ask);
    }
    return given.permissionMode === undefined
      ? { ...answers, ...(await permissions(answers, path, ask)) }
      : answers;
  } finally {
    terminal.close();
  }
}

interface Question {
  key: "name" | "model" | "directory";
  text: string;
  fallback: string;
}

/** `default` stands for leaving the model to the program. */
const QUESTIONS: Question[] = [
  { key: "name", text: "What should the agent be called?", fallback: "coder" },
  { key: "model", text: "Which model? (default: as the program is set to)", fallback: "default" },
  { key: "directory", text: "In which folder does it work?", fallback: "." },
];

async function answered(
  { key, text, fallback }: Question,
  answers: Answers,
  path: string,
  ask: Ask,
): Promise<Answers> {
  for (;;) {
    const said = (await ask(`${text} [${fallback}] `)) || fallback;
    const more = key === "model" && said === "default" ? answers : { ...answers, [key]: said };
    const { name = "coder", model, directory } = more;
    const wrong = await objectionTo({ name, ...(model && { model }), ...(directory && { directory }) }, path);
    if (wrong === undefined) return more;
    printWords(wrong);
  }
}

async function permissions(
  answers: Answers,
  path: string,
  ask: Ask,
): Promise<Pick<Answers, "may" | "tests" | "engine" | "image">> {
  const found = answers.tests ?? testsFor(answers, path);
  const engine = answers.engine ?? (await engineHere());
  const may = answers.may ?? (answers.tests === undefined ? await mayOf(found, engine, ask) : "tests");
  if (may === "container" && engine !== undefined) {
    if (engine === "bwrap") return { may, engine };
    return { may, engine, image: answers.image ?? (await imageOf(engine, ask)) };
  }
  if (may !== "tests") return { may };
  return { may, tests: found ?? (await testsOf(ask)) };
}

async function mayOf(tests: string | undefined, engine: EngineName | undefined, ask: Ask): Promise<May> {
  const fallback = tests === undefined ? "edits" : "tests";
  const most = engine === undefined ? MAY.length - 1 : MAY.length;
  const rows = [
    "What may it do without asking? Anything else is denied.",
    "  1  nothing: read and answer only",
    "  2  edit files",
    `  3  edit files and run the tests${tests === undefined ? "" : `: ${tests}`}`,
    "  4  everything: only on a machine that is a sandbox",
    ...(engine === undefined ? [] : [`  5  everything, in a container: ${engine}`]),
    `1 to ${most} [${MAY.indexOf(fallback) + 1}] `,
  ];
  for (;;) {
    const said = (await ask(rows.join("\n"))) || fallback;
    const chosen = MAY[Number(said) - 1] ?? said;
    if (isMay(chosen) && MAY.indexOf(chosen) < most) return chosen;
    printWords(`"${said}" is not one of them: type a number from 1 to ${most}.`);
  }
}

async function imageOf(engine: EngineName, ask: Ask): Promise<string> {
  for (;;) {
    const said = await ask(`Which image of ${engine}? `);
    if (said !== "") return said;
    printWords(
      "docs/containers.md has a Dockerfile to build one from. Ctrl-C leaves without writing anything.",
    );
  }
}

async function testsOf(ask: Ask): Promise<string> {
  for (;;) {
    const said = await ask("No tests were found. Which command runs them? ");
    if (said !== "") return said;
    printWords("For example: npm test. Ctrl-C leaves without writing anything.");
  }
}
