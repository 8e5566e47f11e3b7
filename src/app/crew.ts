import { dirname } from "node:path";
import { agentFor } from "../agents/registry.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { standingIn } from "../config/stand-ins.ts";
import type { Runner } from "../jobs/crew/crew.ts";
import type { Journal } from "../jobs/journal.ts";
import type { RelayOptions } from "../jobs/run/relay.ts";
import { type Attempt, jobEnvironment } from "../jobs/run/spec.ts";
import { readyStandIn } from "./jobs/ready.ts";
import { configOf } from "./project.ts";

interface Setting {
  journal: Journal;
  /** What the environments of agents are made from. */
  base: Record<string, string>;
}

/** Who can run a job beside its own agent: those that stand in for it, and whoever a person hands it to. */
export async function crewOf(
  first: AgentConfig,
  { journal, base }: Setting,
): Promise<Pick<RelayOptions, "standIns" | "join">> {
  const attempt = { job: journal.job.id, attempt: journal.attempt };
  const standIns = (first.standIns ?? []).map((config) => runnerFor(config, base, attempt));
  return {
    standIns: await Promise.all(standIns),
    async join(name) {
      const { configPath, chosen } = journal.job;
      // By the files as they are now: the agent may be younger than the job.
      const root = configPath === null ? first.workingDirectory : dirname(configPath);
      const project = { root, ...(configPath !== null && { configPath }) };
      const config = await configOf(project, chosen && { chosen });
      return runnerFor(await readyStandIn(config, first, name, base), base, attempt);
    },
  };
}

/** All agents that may have had sessions of a job, to read what these left. None of them is started. */
export async function readersOf(
  config: Config,
  first: AgentConfig,
  base: Record<string, string>,
  attempt: Attempt,
): Promise<Runner[]> {
  const others = config.agents.filter(({ name }) => name !== first.name);
  return Promise.all(others.map((other) => runnerFor(standingIn(first, other), base, attempt)));
}

async function runnerFor(
  config: AgentConfig,
  base: Record<string, string>,
  attempt: Attempt,
): Promise<Runner> {
  return { config, agent: await agentFor(config), env: jobEnvironment(base, config, attempt) };
}
