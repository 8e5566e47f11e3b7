import { agentNamed } from "../../config/agent-named.ts";
import { isFile } from "../../handoff/history.ts";
import type { HandoffRecord, Job } from "../../job/job.ts";
import type { UsualRampUp } from "../../job/ramp-up.ts";
import { handoffView } from "../../job/view.ts";
import { documentOf } from "../../jobs/end/archive.ts";
import { readPending } from "../../sessions/handoff/pending.ts";
import { listJobs } from "../../store/job-list.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { usualRampUps } from "../cost/ramp-up.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";
import { listDocuments } from "./documents.ts";

/** Of how many jobs and sessions the handoffs are listed. */
const JOBS_SHOWN = 10;
const SESSIONS_SHOWN = 20;

/** Of a person's own session there is no record but its document. */
export type ListedHandoff =
  | {
      of: "job";
      job: string;
      handoff: HandoffRecord;
      documentPath: string;
      /** What the agent usually spends at one, where that is known. */
      usual: UsualRampUp | undefined;
    }
  | { of: "session"; session: string; handoff: ToldHandoff; documentPath: string; waits: boolean };

interface ToldHandoff {
  number: number;
  storedAt: string;
  percent: number;
  trigger: string;
  /** As the document puts it. */
  outcome: string | null;
}

/** The handoffs of a job that still have a document, or without one those of the newest jobs and of people's own sessions. */
export async function listHandoffs(project: Project, job?: string): Promise<ListedHandoff[]> {
  const ofJobs = await handoffsOfJobs(project, job);
  return job === undefined ? [...ofJobs, ...(await handoffsOfSessions(project))] : ofJobs;
}

/** What `--json` prints: its keys are a promise to users. */
export function listedHandoffView(listed: ListedHandoff) {
  const { documentPath } = listed;
  if (listed.of === "job")
    return { job: listed.job, ...handoffView(listed.handoff, listed.usual), documentPath };
  const { outcome, ...told } = listed.handoff;
  const { session: fromSession, waits } = listed;
  return { job: null, fromSession, ...told, outcome: outcome ?? "", documentPath, waits };
}

export async function newestWithHandoffs(store: Store, most: number): Promise<Job[]> {
  return await listJobs(store, most, { handedOff: true });
}

async function handoffsOfJobs(project: Project, named: string | undefined): Promise<ListedHandoff[]> {
  if (named === undefined && !hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  const jobs =
    named === undefined ? await newestWithHandoffs(store, JOBS_SHOWN) : [await findJob(store, named)];
  const usual = await usualRampUps(store, jobs);
  const found = jobs.flatMap(({ id: job, agent, handoffs }) =>
    handoffs.map((handoff) => ({ job, handoff, usual: usual.get(agent) })),
  );
  const listed = await Promise.all(
    found.map(async (one): Promise<ListedHandoff[]> => {
      const documentPath = await documentOf(one.handoff);
      return (await isFile(documentPath)) ? [{ of: "job", ...one, documentPath }] : [];
    }),
  );
  return listed.flat();
}

/** The numbers of a job's handoffs whose documents are deleted. */
export async function deletedDocuments({ handoffs }: Job): Promise<Set<number>> {
  const found = await Promise.all(
    handoffs.map(async (handoff) => ((await isFile(await documentOf(handoff))) ? [] : [handoff.number])),
  );
  return new Set(found.flat());
}

async function handoffsOfSessions(project: Project): Promise<ListedHandoff[]> {
  const { handoff } = agentNamed(await configOf(project));
  const [listed, pending] = await Promise.all([
    listDocuments({ root: project.root, handoffDir: handoff.dir }),
    readPending(handoff.dir),
  ]);
  const waiting = new Set(pending.map(({ document }) => document));
  return listed
    .flatMap(({ job, session, ...told }) => (job === null && session !== null ? { session, ...told } : []))
    .slice(0, SESSIONS_SHOWN)
    .map(({ path: documentPath, session, number, created, percent, trigger, outcome }) => ({
      of: "session" as const,
      session,
      handoff: {
        number: number ?? 1,
        storedAt: created ?? "",
        percent: percent ?? 0,
        trigger: trigger ?? "",
        outcome,
      },
      documentPath,
      waits: waiting.has(documentPath),
    }));
}
