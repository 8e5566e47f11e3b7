import { existsSync } from "node:fs";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import type { AgentConfig } from "../../config/config.ts";
import { asksPerson } from "../../jobs/asks/asks-person.ts";
import { newJobId } from "../../jobs/new-id.ts";
import type { Prestarted } from "../../jobs/run/prestart.ts";

/** A program that is starting up. It ends with its scope at the latest, whoever used it. */
export interface Ahead extends AsyncDisposable {
  /** The id of the job that it was started for. */
  job: string;
  prestarted: Prestarted;
  /** What it was given, and the job's other programs get too. */
  env: Record<string, string>;
}

interface AheadOptions {
  base?: Record<string, string>;
  /** A person takes part in the job. */
  isAttended?: boolean;
  /** An orchestrator starts the job. */
  reports?: boolean;
}

/** Only where it is known by now in which folder, and that a new session is wanted. */
export function canStartAhead({ workspace, session, workingDirectory, box }: AgentConfig): boolean {
  // A program that waited for the folder with its job would be idle for as long as another works there.
  const mayWait = workspace.onFolderBusy === "queue";
  const isKnown = workspace.strategy === "static" && session.mode === "fresh";
  return isKnown && !box && !mayWait && existsSync(workingDirectory);
}

/** Starts the agent's program before the modules of the store and the relay are even loaded: it takes the longest. */
export async function startAhead(
  config: AgentConfig,
  job = newJobId(),
  { base = ownEnvironment(), isAttended = false, reports = false }: AheadOptions = {},
): Promise<Ahead> {
  const [agent, { prestartAlone }, { FIRST_ATTEMPT, jobEnvironment }] = await Promise.all([
    agentFor(config),
    import("../../jobs/run/prestart.ts"),
    import("../../jobs/run/spec.ts"),
  ]);
  const env = jobEnvironment(base, config, { job, attempt: FIRST_ATTEMPT });
  const setting = { config, cwd: config.workingDirectory, env, reports };
  const prestarted = await prestartAlone(agent, setting, asksPerson(config, isAttended));
  return { job, prestarted, env, [Symbol.asyncDispose]: () => prestarted.session.close() };
}
