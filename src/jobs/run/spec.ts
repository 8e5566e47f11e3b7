import type { OwnTool, SessionSpec } from "../../agents/agent.ts";
import type { Permit } from "../../agents/permission.ts";
import type { RepositoryAccess } from "../../agents/repository.ts";
import type { Box } from "../../box/box.ts";
import type { AgentConfig } from "../../config/config.ts";
import type { AccountInbox } from "../../handoff/account-inbox.ts";
import { endMarked, type Mark } from "../../processes/marks.ts";
import { ourMark } from "../../processes/own-mark.ts";
import { endTracedOfJob, traceOf } from "../../processes/trace.ts";
import { withoutAppKeys } from "../app-keys.ts";

/** What all sessions of a job have in common. */
export interface JobSetting {
  config: AgentConfig;
  cwd: string;
  env: Record<string, string>;
  /** Where its programs run, if not on this machine as it is. */
  openBox?: () => Promise<Box | undefined> | undefined;
  /** Tells the agent about its workspace, after its own instructions. */
  whereabouts?: string;
  /** What its sessions can call besides, to talk with people. */
  tools?: readonly OwnTool[];
  /** Who is asked where the rules of the agent do not allow a call. */
  person?: { permit: Permit; allowed: readonly string[] };
  /** An orchestrator started the job, and its agent can report to it. */
  reports?: boolean;
}

const JOB_VARIABLE = "BATON_JOB_ID";

/** Marks every process that is started for a job. */
export const jobMark = (job: string): Mark => ({ name: JOB_VARIABLE, value: job });

const attemptMark = (attempt: number): Mark => ({ name: "BATON_ATTEMPT", value: String(attempt) });

/** Of a job that nobody has claimed before. */
export const FIRST_ATTEMPT = 1;

/** Which job, and which claim of it. */
export interface Attempt {
  job: string;
  attempt: number;
}

/** The environment of a job's agent: ours, then what the user configured, then what tells Baton's own processes. */
export function jobEnvironment(
  env: Record<string, string>,
  config: AgentConfig,
  { job, attempt }: Attempt,
): Record<string, string> {
  const marks = [jobMark(job), attemptMark(attempt), ourMark];
  const own = withoutAppKeys(env, config);
  return { ...own, ...config.env, ...Object.fromEntries(marks.map(({ name, value }) => [name, value])) };
}

/**
 * Ends what earlier attempts of this job left running. Their process may live, and run other jobs. Nothing of this attempt
 * may run yet: the traces do not tell attempts apart.
 */
export async function endEarlierAttempts({ job, attempt }: Attempt): Promise<void> {
  await Promise.all([endMarked(jobMark(job), attemptMark(attempt)), endTracedOfJob(job)]);
}

/** What may be done without a question: as configured, and what a person has allowed for good since. */
export function allowedIn(
  { allowedTools }: Pick<AgentConfig, "allowedTools">,
  person: JobSetting["person"],
): string[] {
  return [...allowedTools, ...(person?.allowed ?? [])];
}

interface StartedSession {
  box?: Box | undefined;
  sessionId: string;
  resume: boolean;
  inbox: AccountInbox;
  repository: RepositoryAccess;
}

export function sessionSpec(
  { config, cwd, env, whereabouts, person }: JobSetting,
  { box, sessionId, resume, inbox, repository }: StartedSession,
): SessionSpec {
  const { model, permissionMode, maxTurns, executable } = config;
  const systemPrompt = [config.systemPrompt, whereabouts, repository.instructions]
    .filter(Boolean)
    .join("\n\n");
  return {
    sessionId,
    trace: traceOf({ job: env[JOB_VARIABLE] ?? "", owner: ourMark.value, session: sessionId }),
    resume,
    cwd,
    ...(model !== undefined && { model }),
    ...(systemPrompt !== "" && { systemPrompt }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(executable !== undefined && { executable }),
    ...(box && { box }),
    allowedTools: allowedIn(config, person),
    ...(person && { permit: person.permit }),
    deniedTools: config.deniedTools,
    // What a document has no room for is there, also where the job works in a worktree.
    readable: [config.handoff.dir],
    mcpServers: config.mcpServers,
    ownTools: inbox.tools,
    env,
    autoCompact: config.session.autoCompact,
    readsRepository: repository.reads,
  };
}
