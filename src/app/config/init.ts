import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Readiness } from "../../agents/agent.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { ENGINES, tryEngine } from "../../box/engine.ts";
import type { EngineName } from "../../config/box-config.ts";
import { checkPaths } from "../../config/check-paths.ts";
import { ConfigError } from "../../config/error.ts";
import { initialConfig, SCHEMA_PATH } from "../../config/initial.ts";
import { configSchema } from "../../config/keys/files.ts";
import { parseConfig } from "../../config/layers/parse.ts";
import type { Runtime } from "../../config/runtimes/runtimes.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { agreeToOwn } from "../trust/review.ts";
import { testCommandIn } from "./test-command.ts";

export type { EngineName } from "../../config/box-config.ts";

/** What a first baton.yaml is made from. */
export interface InitialAnswers {
  name: string;
  runtime?: Runtime;
  model?: string;
  directory?: string;
  permissionMode?: string;
  /** The command that runs the tests, where the agent may run it. */
  tests?: string;
  /** The container that it runs in. */
  container?: { engine: EngineName; image?: string };
}

/** What the file that follows from these answers would be refused for. */
export async function objectionTo(answers: InitialAnswers, path: string): Promise<string | undefined> {
  try {
    const config = parseConfig(await initialText(answers), path, homedir());
    for (const agent of config.agents) checkPaths(config, agent);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message, fix }) => `${message}\n  ${fix}`).join("\n");
  }
}

/** What a new agent is to run on, if not on what is built in. `missing`: what is wrong with it here, and what to do. */
interface RuntimeHere {
  runtime?: Runtime;
  missing?: string;
}

/**
 * The user's own program where they are signed in to a plan: the terms ask programs that are built on the Agent SDK to use
 * keys. Codex where it is all that is signed in. Otherwise what is built in.
 */
export async function runtimeHere(): Promise<RuntimeHere> {
  const own = await readinessOf("claude-cli");
  const claude = own.state === "ready" ? own : await readinessOf("claude");
  if (claude.state !== "ready")
    return (await readinessOf("codex")).state === "ready" ? { runtime: "codex" } : {};
  if (!claude.plan) return {};
  return { runtime: "claude-cli", ...(own.state !== "ready" && { missing: `${own.problem} ${own.fix}` }) };
}

async function readinessOf(runtime: Runtime): Promise<Readiness> {
  const { ready } = await agentFor({ runtime });
  return ready({ env: ownEnvironment() });
}

/** The engine that an agent can be put into a container with here. Bubblewrap first, which needs no image. */
export async function engineHere(): Promise<EngineName | undefined> {
  const env = ownEnvironment();
  for (const engine of ENGINES.toReversed()) {
    if ((await tryEngine(engine, env)).works) return engine;
  }
  return undefined;
}

async function initialText(answers: InitialAnswers): Promise<string> {
  const allowedTools = await rulesFor(answers);
  return initialConfig({ ...answers, ...(allowedTools.length > 0 && { allowedTools }) });
}

async function rulesFor({ tests, runtime = "claude" }: InitialAnswers): Promise<string[]> {
  if (tests === undefined) return [];
  const { vocabulary } = await agentFor({ runtime });
  return vocabulary.commandRules(tests);
}

/** The command that runs the tests in the folder of these answers, where its files tell one. */
export function testsFor(
  { directory = "." }: Pick<InitialAnswers, "directory">,
  path: string,
): string | undefined {
  const folder = directory.replace(/^~(?=\/|$)/, homedir());
  return testCommandIn(resolve(dirname(path), folder));
}

/** With its schema, which editors read: beside the jobs of the project, and like them not for git, as it is of the Baton that is installed here. */
export async function writeInitial(answers: InitialAnswers, path: string): Promise<void> {
  const schema = join(dirname(path), SCHEMA_PATH);
  makeOwnFolder(dirname(schema));
  writeFileSync(schema, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
  writeFileSync(path, await initialText(answers));
  await agreeToOwn(path);
}
