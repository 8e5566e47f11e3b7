import type { Job } from "../../job/job.ts";
import { type KeptSession, keepSession, keptSession } from "../../store/kept-sessions.ts";
import type { Store } from "../../store/store.ts";
import type { JobAtWork } from "./phases.ts";

type Setting = Pick<JobAtWork, "config" | "cwd" | "agent" | "env" | "job" | "now">;

/** The session that a job goes on in, or why the last one of its agent is none. Undefined where there is none. */
export type Earlier = { session: string; job: string } | { unfit: string };

export async function earlierSession(store: Store, setting: Setting): Promise<Earlier | undefined> {
  const { config, agent, env, job } = setting;
  // Of an agent that only stands in no session is kept, and none continued.
  if (config.session.mode !== "persistent" || config.name !== job().agent) return undefined;
  const kept = await keptSession(store, config.name, keyOf(job()));
  if (!kept) return undefined;
  const transcript = await agent.findTranscript({ sessionId: kept.session, env });
  const unfit = misfit(kept, setting, transcript !== undefined);
  if (unfit !== undefined) return { unfit: `The session of ${kept.job} is not continued: ${unfit}.` };
  return { session: kept.session, job: kept.job };
}

function misfit(
  kept: KeptSession,
  { config, cwd, now }: Setting,
  hasTranscript: boolean,
): string | undefined {
  if (kept.expires_at <= now().toISOString()) return "it is older than session.timeout allows";
  if (kept.folder !== cwd) return `it worked in ${kept.folder}, and this job works in ${cwd}`;
  if (kept.program !== config.runtime)
    return `it ran on ${kept.program}, and this job runs on ${config.runtime}`;
  if (!hasTranscript) return "its transcript is gone";
  return undefined;
}

/** Keeps the session that a job completed in, for the next job. */
export async function keepForNext(store: Store, { config, cwd, job, now }: Setting): Promise<void> {
  const session = job().sessions.at(-1);
  if (config.session.mode !== "persistent" || config.name !== job().agent || !session) return;
  await keepSession(store, {
    agent: config.name,
    work_item: keyOf(job()),
    session: session.id,
    job: job().id,
    folder: cwd,
    program: config.runtime,
    expires_at: new Date(now().getTime() + config.session.timeoutMs).toISOString(),
  });
}

/** With worktrees each work item has its own line of sessions. */
function keyOf({ workspace, workItem }: Job): string {
  return workspace?.strategy === "git_worktree" ? (workItem?.name ?? workItem?.id ?? "") : "";
}
