import type { Job } from "../../job/job.ts";
import { type JobFilter, listJobs } from "../../store/jobs.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";
import { type MessageView, messagesFor } from "./messages.ts";

export { jobView } from "../../job/view.ts";

/** The jobs of a project, the newest first, whichever process runs them. None where none has run yet. */
export async function newestJobs(project: Project, limit: number, wanted: JobFilter = {}): Promise<Job[]> {
  if (!hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await listJobs(store, limit, wanted);
}

/** What waits for the sessions of a project's jobs, by their ids. */
export async function waitingMessages(project: Project): Promise<Map<string, MessageView[]>> {
  if (!hasStore(project)) return new Map();
  await using store = await lookIntoStore(project);
  // A store that can only be read may be too old to have any.
  const messages = await messagesFor(store).catch(() => []);
  return Map.groupBy(messages, ({ job }) => job);
}
