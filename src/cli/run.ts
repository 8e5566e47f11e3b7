import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { UnknownAgentError } from "../config/agent-named.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { createJob, jobId } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { printEnd } from "./display/job-end.ts";
import { drive } from "./drive.ts";
import { exitCodeOf, UsageError } from "./exit.ts";
import { configOf, findProject, openProjectStore, type Project } from "./project.ts";
import { readyAgent } from "./ready.ts";

export interface RunOptions {
  config?: string;
  promptFile?: string;
  json?: boolean;
}

export async function run(words: string[], options: RunOptions): Promise<number> {
  const project = findProject(options);
  const config = await configOf(project);
  const { agent: name, prompt } = await whatToRun(words, options, config);
  const agent = await readyAgent(config, name);
  await using store = await openProjectStore(project);
  const id = await newJob(store, project, agent, prompt);
  const job = await drive({ store, config: agent, job: id, json: options.json ?? false });
  if (!options.json) printEnd(job);
  return exitCodeOf(job.status);
}

export async function newJob(
  store: Store,
  project: Project,
  agent: AgentConfig,
  prompt: string,
): Promise<string> {
  const now = new Date();
  const id = jobId(now, randomBytes(6));
  const { configPath } = project;
  await createJob(
    store,
    id,
    {
      type: "job:created",
      agent: agent.name,
      prompt,
      ...(configPath && { configPath }),
      agentConfig: withoutSecrets(agent),
    },
    now,
  );
  return id;
}

/** The values of the environment and of MCP servers can be secrets, and a resume reads them again anyway. */
function withoutSecrets({ env, mcpServers, ...agent }: AgentConfig) {
  return { ...agent, env: Object.keys(env), mcpServers: Object.keys(mcpServers) };
}

async function whatToRun(
  words: string[],
  options: RunOptions,
  config: Config,
): Promise<{ agent?: string; prompt: string }> {
  const elsewhere = options.promptFile !== undefined;
  if (words.length > 2) {
    throw new UsageError(
      `Too many words. Put the prompt in quotes: baton run ${words[0]} "${words.slice(1).join(" ")}"`,
    );
  }
  const [first, second] = words;
  if (second !== undefined) {
    if (elsewhere) throw new UsageError("Give the prompt once: as a word, or with --prompt-file.");
    return named(first, await promptFrom(second));
  }
  const isAgent = config.agents.some((agent) => agent.name === first);
  if (first !== undefined && !isAgent && first !== "-") {
    if (elsewhere)
      throw new UnknownAgentError(
        first,
        config.agents.map((agent) => agent.name),
        config.path,
      );
    return { prompt: nonEmpty(first) };
  }
  if (options.promptFile !== undefined)
    return named(isAgent ? first : undefined, await fromFile(options.promptFile));
  if (first !== "-" && process.stdin.isTTY) {
    throw new UsageError('What is to be done? Say it in quotes: baton run "Fix the failing tests"');
  }
  return named(isAgent ? first : undefined, nonEmpty(await readAll(process.stdin)));
}

function named(agent: string | undefined, prompt: string): { agent?: string; prompt: string } {
  return agent === undefined ? { prompt } : { agent, prompt };
}

async function promptFrom(word: string): Promise<string> {
  return nonEmpty(word === "-" ? await readAll(process.stdin) : word);
}

async function fromFile(path: string): Promise<string> {
  try {
    return nonEmpty(await readFile(resolve(path), "utf8"));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The prompt file ${path} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function nonEmpty(prompt: string): string {
  if (prompt.trim() === "") throw new UsageError("The prompt is empty. Say what is to be done.");
  return prompt;
}
