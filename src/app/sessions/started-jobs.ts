import { sessionAround } from "../../sessions/record/calling-session.ts";
import { type LookUpJobs, MOST_OF_TASK, type SeenJob } from "../../sessions/record/job-worker.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { StartedJob } from "../../sessions/record/session.ts";
import { JobNotFoundError } from "../../store/errors.ts";
import { getJob } from "../../store/jobs.ts";
import { messageOf } from "../../util/errors.ts";
import { shortLine } from "../../util/frame.ts";
import { hasStore, openSwept, storePath } from "../project.ts";

/** The person's session in whose shell this process was started. */
export async function startingSession(): Promise<string | undefined> {
  const { env, pid } = process;
  return (await sessionAround({ registry: userRegistry(), env, pid }))?.id;
}

/** Of one session: those of an orchestrator that follows work for weeks. */
const MOST_LISTED = 1_000;

/** Puts a job that is about to be on record on the list of the session that starts it. */
export async function listWith(session: string, started: StartedJob): Promise<void> {
  const task = shortLine(started.task, MOST_OF_TASK);
  await userRegistry().update(
    session,
    (known) => known && { ...known, jobs: [...(known.jobs ?? []), { ...started, task }].slice(-MOST_LISTED) },
  );
}

/** Folds jobs from their journals, wherever these are. One whose process died is interrupted. */
export const lookUpJobs: LookUpJobs = async (started) => {
  const seen: SeenJob[] = [];
  for (const [root, jobs] of Map.groupBy(started, ({ root }) => root))
    seen.push(...(await lookInto(root, jobs)));
  return seen;
};

async function lookInto(root: string, jobs: readonly StartedJob[]): Promise<SeenJob[]> {
  const unknown = (problem: string) => jobs.map(({ id, task }) => ({ id, task, problem }));
  if (!hasStore({ root })) return unknown(`there is no ${storePath(root)} any more`);
  try {
    await using store = await openSwept({ root });
    const found = await Promise.all(
      jobs.map(({ id }) =>
        getJob(store, id).then(
          (job) => ({ id, job }),
          (error: unknown) => {
            if (error instanceof JobNotFoundError) return undefined;
            throw error;
          },
        ),
      ),
    );
    return found.filter((job) => job !== undefined);
  } catch (error) {
    return unknown(messageOf(error));
  }
}
