import { ownEnvironment } from "../../../agents/own-environment.ts";
import type { Chosen } from "../../../config/chosen.ts";
import { logFor } from "../../../jobs/background-log.ts";
import { isOfJob } from "../../../processes/inside-job.ts";
import { isTraced } from "../../../processes/trace.ts";
import { refuseOwned } from "../../../store/claims.ts";
import { fromJson, isFields } from "../../../util/json.ts";
import { SIMULATE_VARIABLE } from "../../../util/simulate-variable.ts";
import { startBehind } from "../../background.ts";
import type { Project } from "../../project.ts";
import { UsageError } from "../../usage-error.ts";
import type { ReadyJob } from "../ready-job.ts";

/** A job that runs without a terminal. What `--json` prints of it: its keys are a promise to users. */
export interface Detached {
  job: string;
  /** The process that runs it. */
  pid: number;
  log: string;
}

/** Refuses what would be ended with whoever starts it, or be left without its model, before anything is on record. */
export function refuseToDetach(env: NodeJS.ProcessEnv = process.env): void {
  if (isOfJob(env) || isTraced("self")) {
    const job = env.BATON_JOB_ID ?? "this job";
    throw new UsageError(
      `--detach does not work inside a job: everything that the agent of ${job} starts ends with it.\nLeave --detach out. To keep working meanwhile, let the agent run the command in the background.`,
    );
  }
  if (env[SIMULATE_VARIABLE]) {
    throw new UsageError(
      `--detach does not work here: the simulator ends with this command, and the job would lose its model.\nLeave --detach out, or serve the scenario in another terminal: ${env[SIMULATE_VARIABLE]}`,
    );
  }
}

/**
 * Has a job that is on record run by a process of its own, and returns once that has it. `config`: the user's own choice
 * of a configuration.
 */
export async function runInBackground(
  project: Project,
  { store, job, resumed }: ReadyJob,
  { config }: { config?: string },
): Promise<Detached> {
  await refuseOwned(store, job);
  const log = logFor(job);
  const begun = await startBehind(
    {
      args: [
        ...["internal", "run", job],
        ...(config !== undefined && project.configPath ? ["--config", project.configPath] : []),
        ...flagsOf(resumed?.chosen ?? {}),
      ],
      cwd: project.root,
      env: ownEnvironment(),
      log,
    },
    (line) => (isOf(job, fromJson(line)) ? job : undefined),
  );
  if ("pid" in begun) return { job, pid: begun.pid, log };
  const why = begun.printed.replace(/^baton: /, "") || `its process ended with code ${begun.code}`;
  const message = `${job} is recorded, but could not be run in the background: ${why}\nTry again with: baton resume ${job}`;
  throw begun.code === REFUSED ? new UsageError(message) : new Error(message);
}

/** With which Baton ends that was asked for something that it does not do. */
const REFUSED = 2;

/** What the process of a job prints once the job is its own. */
export function begunLine(job: string): string {
  return JSON.stringify({ job, pid: process.pid, since: new Date().toISOString() });
}

function isOf(job: string, said: unknown): boolean {
  return isFields(said) && said.job === job;
}

function flagsOf({ model, permissionMode, maxCostUsd, worktree }: Chosen): string[] {
  return [
    ...(model === undefined ? [] : ["--model", model]),
    ...(permissionMode === undefined ? [] : ["--permission-mode", permissionMode]),
    ...(maxCostUsd === undefined ? [] : ["--max-cost", String(maxCostUsd)]),
    ...(worktree ? ["--worktree"] : []),
  ];
}
