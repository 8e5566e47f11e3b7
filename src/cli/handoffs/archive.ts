import { join } from "node:path";
import { configOf, findProject, openStoreOfJobs, type Project } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { AgentConfig } from "../../config/config.ts";
import { deleteExpired, isFile } from "../../handoff/history.ts";
import { archiveLivingDocument } from "../../handoff/living.ts";
import type { Job } from "../../job/job.ts";
import { archiveDocuments, completedInEpic } from "../../jobs/end/archive.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { counted } from "../../util/figures.ts";

export interface HandoffArchiveOptions {
  config?: string;
  json?: boolean;
  epic?: string;
  clean?: boolean;
  agent?: string;
}

/** A job's documents, an epic's, or with neither the living document of the agent. */
export async function handoffArchive(
  id: string | undefined,
  options: HandoffArchiveOptions,
): Promise<number> {
  const { epic, clean = false } = options;
  if ([id, epic, clean || undefined].filter((given) => given !== undefined).length > 1) {
    throw new UsageError("Give one of them: a job, --epic or --clean.");
  }
  const project = findProject(options);
  if (clean) return deleteOld(project, options);
  if (id === undefined && epic === undefined) return archiveLiving(project, options);
  await using store = await openStoreOfJobs(project);
  const jobs = id === undefined ? await ofEpic(store, epic ?? "") : [await completed(store, id)];
  const archived: string[] = [];
  for (const job of jobs) archived.push(...(await archiveDocuments(store, job, new Date())));
  if (options.json) console.log(JSON.stringify({ jobs: jobs.map((job) => job.id), archived }));
  else console.log([`Archived ${counted(archived.length, "document")}.`, ...archived].join("\n  "));
  return 0;
}

async function completed(store: Store, id: string): Promise<Job> {
  const job = await findJob(store, id);
  if (job.status === "completed") return job;
  throw new UsageError(
    `${job.id} is ${job.status}. The documents of a job are archived when it is completed.`,
  );
}

async function ofEpic(store: Store, epic: string): Promise<Job[]> {
  const jobs = await completedInEpic(store, epic);
  if (jobs.length > 0) return jobs;
  throw new UsageError(`No completed job is in the epic "${epic}".`);
}

async function deleteOld(project: Project, options: HandoffArchiveOptions): Promise<number> {
  const { handoff } = await agentOf(project, options);
  const deleted = await deleteExpired(handoff.dir, handoff.retentionDays, new Date());
  if (options.json) console.log(JSON.stringify({ deleted }));
  else {
    const what = counted(deleted.length, "archived document");
    const age = counted(handoff.retentionDays, "day");
    console.log([`Deleted ${what} older than ${age}.`, ...deleted].join("\n  "));
  }
  return 0;
}

async function archiveLiving(project: Project, options: HandoffArchiveOptions): Promise<number> {
  const { name, workingDirectory, handoff } = await agentOf(project, options);
  const living = handoff.livingDocument;
  if (!living) {
    throw new UsageError(
      `The agent ${name} keeps no living document. Set handoff.living_document, or say which job's documents to archive.`,
    );
  }
  const path = join(workingDirectory, living.path);
  if (!(await isFile(path))) throw new UsageError(`There is no living document to archive: ${path}`);
  const { archived, warning } = await archiveLivingDocument(workingDirectory, living, new Date());
  if (options.json) console.log(JSON.stringify({ archived, ...(warning && { warning }) }));
  else console.log([`Archived ${living.path} as ${archived}.`, ...(warning ? [warning] : [])].join("\n"));
  return 0;
}

async function agentOf(project: Project, { agent }: HandoffArchiveOptions): Promise<AgentConfig> {
  return agentNamed(await configOf(project), agent);
}
