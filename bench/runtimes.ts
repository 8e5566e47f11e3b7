import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { CODEX_MODEL, codexEnvironment } from "../test/codex-home.ts";
import { CODEX, PI } from "../test/needs.ts";
import { PI_MODEL, piEnvironment } from "../test/pi-home.ts";
import type { Measure } from "./measure.ts";
import { jsonLines } from "./programs.ts";
import { freshProject } from "./project.ts";
import { type Compared, claudeCode, measureFortyTurns } from "./relay.ts";

const LIMIT = 1.05;
const ROUNDS = 3;

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

const pi: Compared = {
  project: (model) =>
    freshProject(model, `    runtime: pi\n    model: ${PI_MODEL}\n`, {
      more: (root) => piEnvironment(model, join(root, "pi")),
    }),
  alone: (prompt) => ({ command: PI, args: ["--mode", "json", "--model", PI_MODEL, prompt] }),
  aloneAs: "pi --mode json",
  turnsIn: (printed) =>
    jsonLines<{ type: string; message?: { role: string } }>(printed).filter(
      ({ type, message }) => type === "message_end" && message?.role === "assistant",
    ).length,
};

const acp: Compared = {
  project: (model) =>
    freshProject(model, `    runtime: acp\n    command: codex-acp\n    model: ${CODEX_MODEL}\n`, {
      more: (root) => codexEnvironment(model, join(root, "codex")),
    }),
  alone: (prompt) => ({
    command: process.execPath,
    args: [
      fileURLToPath(new URL("./acp-client.ts", import.meta.url)),
      prompt,
      "codex-acp",
      "agent-full-access",
    ],
  }),
  aloneAs: "a plain client of the protocol, over codex-acp",
  // One for each answer.
  turnsIn: (printed) =>
    jsonLines<{ params?: { update?: { sessionUpdate: string } } }>(printed).filter(
      ({ params }) => params?.update?.sessionUpdate === "usage_update",
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
  pi,
  acp,
};

/** By name, a job of forty turns on each runtime, against the same script under its program alone. */
export const measureRuntimes: Record<string, () => Promise<Measure>> = Object.fromEntries(
  Object.entries(RUNTIMES).map(([runtime, compared]) => {
    const name = `runtimes-${runtime}`;
    return [
      name,
      () => measureFortyTurns(name, compared, { limit: LIMIT, answers: "quick-model", rounds: ROUNDS }),
    ];
  }),
);
