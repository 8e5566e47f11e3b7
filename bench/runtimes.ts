import { join } from "node:path";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { CODEX_MODEL, codexEnvironment } from "../test/codex-home.ts";
import { CODEX } from "../test/needs.ts";
import type { Measure } from "./measure.ts";
import { jsonLines } from "./programs.ts";
import { freshProject } from "./project.ts";
import { type Compared, claudeCode, measureFortyTurns } from "./relay.ts";

const LIMIT = 1.05;
const ROUNDS = 5;

const codex: Compared = {
  project: (model) =>
    freshProject(model, `    runtime: codex\n    model: ${CODEX_MODEL}\n`, {
      more: (root) => codexEnvironment(model, join(root, "codex")),
    }),
  alone: (prompt) => ({
    command: CODEX,
    args: ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
  }),
  aloneAs: "codex exec --json",
  // It tells no answers, but each has a message in it.
  turnsIn: (printed) =>
    jsonLines<{ type: string; item?: { type: string } }>(printed).filter(
      ({ type, item }) => type === "item.completed" && item?.type === "agent_message",
    ).length,
};

/** Every runtime, beside the program that it drives. */
const RUNTIMES: Record<string, Compared> = {
  claude: claudeCode,
  "claude-cli": {
    ...claudeCode,
    project: (model) => freshProject(model, `    runtime: claude-cli\n    executable: ${claudeProgram()}\n`),
  },
  codex,
};

/** A job of forty turns on each runtime, against the same script under its program alone. */
export async function measureRuntimes(): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const [name, compared] of Object.entries(RUNTIMES))
    measures.push(await measureFortyTurns(`runtime-${name}`, compared, { limit: LIMIT, rounds: ROUNDS }));
  return measures;
}
