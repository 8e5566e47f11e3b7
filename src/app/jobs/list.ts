import type { Job } from "../../job/job.ts";
import { childrenOf, type JobFilter, listJobs } from "../../store/job-list.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";
import { type MessageView, messagesFor } from "./messages.ts";

export { jobView } from "../../job/view.ts";

/** The jobs of a project, the newest first, whichever process runs them. None where none has run yet. */
export async function newestJobs(project: Project, limit: number, wanted: JobFilter = {}): Promise<Job[]> {
  if (!hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await listJobs(store, limit, wanted);
}

/** What `--json` prints of a job that came from another: its keys are a promise to users. */
export interface Child {
  job: string;
  by: "retry" | "fork";
  status: Job["status"];
}

/** The retries and forks of a job, oldest first. */
export async function childrenIn(project: Project, { id }: Job): Promise<Child[]> {
  await using store = await lookIntoStore(project);
  // A store that can only be read may be too old to know of any.
  const jobs = await childrenOf(store, id).catch(() => []);
  return jobs.map(({ id: job, parent, status }) => ({ job, by: parent?.by ?? "retry", status }));
}

/** What waits for the sessions of a project's jobs, by their ids. */
export async function waitingMessages(project: Project): Promise<Map<string, MessageView[]>> {
  if (!hasStore(project)) return new Map();
  await using store = await lookIntoStore(project);
  // A store that can only be read may be too old to have any.
  const messages = await messagesFor(store).catch(() => []);
  return Map.groupBy(messages, ({ job }) => job);
}
