import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { Readiness } from "../../agents/agent.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { configOf, findProject, hasStore, type Project, storePath } from "../../app/project.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { checkPaths } from "../../config/check-paths.ts";
import type { Config } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { paintFor } from "../../display/style.ts";
import { askGit } from "../../git/git.ts";
import { listJobs } from "../../store/jobs.ts";
import { messageOf } from "../../util/errors.ts";

export interface DoctorOptions {
  config?: string;
  json?: boolean;
}

/** `warn`: Baton works, but something that it can use is not there. */
export interface Finding {
  name: string;
  state: "ok" | "warn" | "fail";
  found: string;
  fix?: string;
}

export async function doctor(options: DoctorOptions): Promise<number> {
  const project = findProject(options);
  const config = await lookAtConfig(project);
  const findings = [
    lookAtNode(),
    config.finding,
    await lookAtGit(),
    ...(await lookAtAgent(config.value ?? configWithoutFile(project.root))),
    lookAtFolder(project),
    await lookAtStore(project),
    ...(await lookAtPlugin(project)),
  ];
  if (options.json) console.log(JSON.stringify(findings));
  else print(findings);
  return findings.some(({ state }) => state === "fail") ? 1 : 0;
}

function print(findings: Finding[]): void {
  const paint = paintFor(process.stdout, process.env);
  const signs = { ok: paint("green", "✓"), warn: paint("yellow", "!"), fail: paint("red", "✗") };
  for (const { name, state, found, fix } of findings) {
    console.log(`${signs[state]} ${name.padEnd(14)} ${found.replaceAll("\n", "\n                 ")}`);
    if (fix) console.log(`                 ${paint("dim", "→")} ${fix}`);
  }
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
    const fix = "Write one with `baton init` when you want more than the defaults.";
    return { value, finding: { name, state: "ok", found: "no baton.yaml: the defaults apply", fix } };
  } catch (error) {
    return { finding: { name, state: "fail", found: messageOf(error) } };
  }
}

async function lookAtGit(): Promise<Finding> {
  const version = await askGit(process.cwd(), ["--version"]);
  if (version !== undefined) return { name: "git", state: "ok", found: version.replace("git version ", "") };
  const fix = "Install git: handoffs then say which files changed.";
  return { name: "git", state: "warn", found: "not found", fix };
}

async function lookAtAgent(config: Config): Promise<Finding[]> {
  const { executable, ...agent } = agentNamed(config);
  const { name, ready, version } = await agentFor(agent);
  const env = { ...ownEnvironment(), ...agent.env };
  const readiness = await ready({ env, ...(executable !== undefined && { executable }) });
  if (readiness.state === "no-program") {
    return [{ name, state: "fail", found: "not found", fix: readiness.fix }];
  }
  const { program } = readiness;
  const found = `${await version(program).catch(messageOf)} at ${program}`;
  return [{ name, state: "ok", found }, credentials(readiness)];
}

function credentials(readiness: Exclude<Readiness, { state: "no-program" }>): Finding {
  const name = "credentials";
  if (readiness.state === "ready") return { name, state: "ok", found: readiness.credentials };
  return { name, state: "fail", found: "none", fix: `${readiness.fix} Without an account: \`baton demo\`.` };
}

async function lookAtPlugin({ root }: Project): Promise<Finding[]> {
  const { pluginFindings } = await import("./doctor-plugin.ts");
  return pluginFindings(root);
}

function lookAtFolder({ root }: Project): Finding {
  const folder = existsSync(join(root, ".baton")) ? join(root, ".baton") : root;
  try {
    accessSync(folder, constants.W_OK);
    return { name: "folder", state: "ok", found: `${folder} can be written` };
  } catch {
    return {
      name: "folder",
      state: "fail",
      found: `${folder} cannot be written`,
      fix: `Change its owner or mode.`,
    };
  }
}

async function lookAtStore(project: Project): Promise<Finding> {
  if (!hasStore(project)) return { name: "jobs", state: "ok", found: "none yet" };
  try {
    const { openStoreToRead } = await import("../../store/store.ts");
    await using store = await openStoreToRead(storePath(project.root));
    const jobs = await listJobs(store, 1_000);
    const open = jobs.filter(({ status }) => status === "interrupted" || status === "paused");
    const found = `${jobs.length}, ${open.length} of them can be resumed`;
    return { name: "jobs", state: "ok", found };
  } catch (error) {
    return { name: "jobs", state: "fail", found: messageOf(error) };
  }
}
