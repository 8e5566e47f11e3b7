import type { Job } from "../../job/job.ts";
import { type JobFilter, listJobs } from "../../store/jobs.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";

export { jobView } from "../../job/view.ts";

/** The jobs of a project, the newest first, whichever process runs them. None where none has run yet. */
export async function newestJobs(project: Project, limit: number, wanted: JobFilter = {}): Promise<Job[]> {
  if (!hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await listJobs(store, limit, wanted);
}
