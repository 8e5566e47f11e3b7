import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Agent, Readiness } from "../../agents/agent.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { UnfitProgramError } from "../../agents/process/own-program.ts";
import { agentFor } from "../../agents/registry.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { checkPaths } from "../../config/check-paths.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { onPath } from "../../processes/on-path.ts";
import { countJobs } from "../../store/job-list.ts";
import { messageOf } from "../../util/errors.ts";
import { ForeignStateError, foreignState } from "../foreign-state.ts";
import { configOf, hasStore, type Project, storePath } from "../project.ts";
import { trustCommand } from "../trust/gate.ts";
import { agreedFor } from "../trust/review.ts";

/** `absent`: it is not there, and need not be. `warn`: Baton works, but not as it should. */
export interface Finding {
  name: string;
  state: "ok" | "absent" | "warn" | "fail";
  found: string;
  fix?: string;
}

/** What Baton needs and can use here: whether it is there, and how to come by it. */
export async function findingsIn(project: Project): Promise<Finding[]> {
  const config = await lookAtConfig(project);
  return [
    lookAtNode(),
    config.finding,
    await lookAtGit(),
    ...(await lookAtAgents(config.value ?? configWithoutFile(project.root))),
    ...(await lookAtContainers(config.value)),
    ...(await lookAtChats(project, config.value)),
    lookAtFolder(project),
    await lookAtStore(project),
    ...(await lookAtPlugin(project)),
    ...OPTIONAL.map(lookAtOptional),
  ];
}

function lookAtNode(): Finding {
  return { name: "Node", state: "ok", found: process.version };
}

async function lookAtConfig(project: Project): Promise<{ finding: Finding; value?: Config }> {
  const name = "configuration";
  try {
    const value = await configOf(project);
    for (const agent of value.agents) checkPaths(value, agent);
    const agents = value.agents.map((agent) => agent.name).join(", ");
    if (value.path) return { value, finding: { name, state: "ok", found: `${value.path} (${agents})` } };
    const fix = "Write one with `baton init` if you want more than the defaults.";
    return { value, finding: { name, state: "absent", found: "no baton.yaml: the defaults apply", fix } };
  } catch (error) {
    return { finding: { name, state: "fail", found: messageOf(error) } };
  }
}

async function lookAtGit(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"]);
    return { name: "git", state: "ok", found: stdout.trim().replace("git version ", "") };
  } catch {
    const fix = "Install git, so that handoffs can say which files changed.";
    return { name: "git", state: "warn", found: "not found", fix };
  }
}

const OPTIONAL = [
  { name: "tmux", use: "your own sessions that run in it continue in their pane after a handoff" },
  { name: "gh", use: "`create_pr` opens pull requests on GitHub" },
];

function lookAtOptional({ name, use }: (typeof OPTIONAL)[number]): Finding {
  const found = onPath(name, process.env);
  if (found !== undefined) return { name, state: "ok", found };
  return { name, state: "absent", found: "not installed", fix: `With it, ${use}.` };
}

/** Each program once. Where there are several, with the agents that run on it. */
async function lookAtAgents(config: Config): Promise<Finding[]> {
  const programs = Map.groupBy(config.agents, ({ runtime, command, executable, env }) =>
    JSON.stringify([runtime, command, executable, env]),
  );
  const found = [...programs.values()].map(async (agents) => {
    const [agent = agentNamed(config)] = agents;
    const findings = await lookAtAgent(config, agent);
    if (programs.size === 1) return findings;
    const names = agents.map(({ name }) => name).join(", ");
    return findings.map((finding) => ({ ...finding, found: `${finding.found} (${names})` }));
  });
  return (await Promise.all(found)).flat();
}

async function lookAtAgent(config: Config, agent: AgentConfig): Promise<Finding[]> {
  const { executable } = agent;
  const { name, ready, version } = await agentFor(agent);
  const { parts, files } = agreedFor(config, agent);
  if (parts.length + files.length > 0) {
    const found = "not started: this project's files do things that you have not agreed to on this machine";
    return [{ name, state: "warn", found, fix: `Review and trust them: ${trustCommand(config.path)}` }];
  }
  const env = { ...ownEnvironment(), ...agent.env };
  const readiness = await ready({ env, ...(executable !== undefined && { executable }) });
  if (readiness.state === "no-program") {
    return [{ name, state: "fail", found: readiness.problem, fix: readiness.fix }];
  }
  const { program } = readiness;
  return [await versionFinding(name, program, version), credentials(readiness, agent.runtime)];
}

async function versionFinding(name: string, program: string, version: Agent["version"]): Promise<Finding> {
  try {
    return { name, state: "ok", found: `${await version(program)} at ${program}` };
  } catch (error) {
    const fix =
      error instanceof UnfitProgramError
        ? error.fix
        : "It cannot be started here: install it again, or set `executable` to one that can.";
    return { name, state: "fail", found: messageOf(error), fix };
  }
}

function credentials(
  readiness: Exclude<Readiness, { state: "no-program" }>,
  runtime: AgentConfig["runtime"],
): Finding {
  const name = "credentials";
  // Of those that speak the protocol, only one built on the SDK is signed in to with such a plan.
  if (readiness.state === "ready" && readiness.plan && (runtime === "claude" || runtime === "acp")) {
    const fix =
      "Claude Code's terms ask programs that are built on the Agent SDK to use API keys. With a plan, run your own claude: set `runtime: claude-cli`.";
    return { name, state: "warn", found: `${readiness.credentials}, by a plan`, fix };
  }
  if (readiness.state === "ready") return { name, state: "ok", found: readiness.credentials };
  return { name, state: "fail", found: "none", fix: `${readiness.fix} Without an account: \`baton demo\`.` };
}

async function lookAtContainers(config: Config | undefined): Promise<Finding[]> {
  const { containerFindings } = await import("../containers/doctor.ts");
  return containerFindings(config);
}

async function lookAtChats(project: Project, config: Config | undefined): Promise<Finding[]> {
  if (!config?.agents.some(({ chat }) => chat && !chat.fake)) return [];
  const { chatFindings } = await import("../conversations/doctor.ts");
  return chatFindings(project, config);
}

async function lookAtPlugin({ root }: Project): Promise<Finding[]> {
  const { pluginFindings } = await import("./doctor-plugin.ts");
  return pluginFindings(root);
}

function lookAtFolder({ root }: Project): Finding {
  const folder = existsSync(join(root, ".baton")) ? join(root, ".baton") : root;
  try {
    accessSync(folder, constants.W_OK);
    return { name: "folder", state: "ok", found: `${folder} is writable` };
  } catch {
    return {
      name: "folder",
      state: "fail",
      found: `${folder} is not writable`,
      fix: `Change its owner or mode.`,
    };
  }
}

async function lookAtStore(project: Project): Promise<Finding> {
  if (!hasStore(project)) return { name: "jobs", state: "ok", found: "none yet" };
  try {
    const foreign = await foreignState(storePath(project.root));
    if (foreign.length > 0) {
      const { message } = new ForeignStateError(storePath(project.root), foreign);
      const [found = "", ...fix] = message.split("\n");
      return { name: "jobs", state: "warn", found, fix: fix.join("\n") };
    }
    const { openStoreToRead } = await import("../../store/store.ts");
    await using store = await openStoreToRead(storePath(project.root));
    const counts = await countJobs(store);
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const found = `${all}, ${(counts.interrupted ?? 0) + (counts.paused ?? 0)} of which can be resumed`;
    return { name: "jobs", state: "ok", found };
  } catch (error) {
    return { name: "jobs", state: "fail", found: messageOf(error) };
  }
}
