import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { initialConfig } from "../config/initial.ts";
import { parseConfig } from "../config/parse.ts";
import { UsageError } from "./exit.ts";

export interface InitOptions {
  name?: string;
  model?: string;
  directory?: string;
  permissionMode?: string;
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
    throw new UsageError(`${path} is there already. Edit it, or replace it with \`baton init --force\`.`);
  }
  const answers =
    process.stdin.isTTY && process.stdout.isTTY && !options.json ? await ask(options) : given(options);
  const text = initialConfig(answers);
  parseConfig(text, path, homedir());
  writeFileSync(path, text);
  if (options.json) console.log(JSON.stringify({ path }));
  else console.log(`Wrote ${path}\nStart a job with: baton run ${answers.name} "what is to be done"`);
  return 0;
}

function given({ name = "coder", model, directory, permissionMode = "acceptEdits" }: InitOptions): Answers {
  return { name, permissionMode, ...(model && { model }), ...(directory && { directory }) };
}

async function ask(options: InitOptions): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const question = async (known: string | undefined, text: string, fallback: string) =>
    known ?? ((await terminal.question(`${text} [${fallback}] `)).trim() || fallback);
  try {
    const name = await question(options.name, "What shall the agent be called?", "coder");
    const model = await question(options.model, "Which model? (as Claude Code is set)", "default");
    const directory = await question(options.directory, "In which folder does it work?", ".");
    const permissionMode = await question(
      options.permissionMode,
      "What may it do without asking? (acceptEdits, bypassPermissions, plan, …)",
      "acceptEdits",
    );
    return { name, directory, permissionMode, ...(model !== "default" && { model }) };
  } finally {
    terminal.close();
  }
}
