import { join } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { Config, LivingDocumentConfig } from "../../config/config.ts";
import { deleteExpired, isFile } from "../../handoff/history.ts";
import { archiveLivingDocument } from "../../handoff/living/living.ts";
import type { Job } from "../../job/job.ts";
import { archiveDocuments, jobsInEpic, OVER } from "../../jobs/end/archive.ts";
import { redactor } from "../../secrets/redact.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { configOf, openStoreOfJobs, type Project } from "../project.ts";
import { handoffSettings } from "../sessions/handoff-settings.ts";
import { UsageError } from "../usage-error.ts";

export interface ArchivedDocuments {
  jobs: string[];
  /** Where they are now. */
  archived: string[];
}

/** `open`: jobs of the epic that are not over, with their documents where they were. */
export interface ArchivedEpic extends ArchivedDocuments {
  open: string[];
}

/** Archives the documents of a job that is over. */
export async function archiveJob(project: Project, named: string): Promise<ArchivedDocuments> {
  await using store = await openStoreOfJobs(project);
  const job = await findJob(store, named);
  if (OVER.includes(job.status)) return await archived(store, [job]);
  throw new UsageError(
    `${job.id} is ${job.status}. The documents of a job are archived when it is completed, failed or cancelled.`,
  );
}

/** Ends an epic: archives the documents of its jobs, as far as they are over. */
export async function archiveEpic(project: Project, epic: string): Promise<ArchivedEpic> {
  await using store = await openStoreOfJobs(project);
  const jobs = await jobsInEpic(store, epic);
  if (jobs.length === 0) throw new UsageError(`No job is in the epic "${epic}".`);
  const { over = [], open = [] } = Object.groupBy(jobs, ({ status }) =>
    OVER.includes(status) ? "over" : "open",
  );
  return { ...(await archived(store, over)), open: open.map(({ id }) => id) };
}

async function archived(store: Store, jobs: Job[]): Promise<ArchivedDocuments> {
  const places: string[] = [];
  for (const job of jobs) places.push(...(await archiveDocuments(store, job, new Date())));
  return { jobs: jobs.map(({ id }) => id), archived: places };
}

/** Deletes what has been archived for longer than the agent's settings say. */
export async function deleteOldDocuments(
  project: Project,
  agent?: string,
): Promise<{ deleted: string[]; retentionDays: number }> {
  const { handoff } = agentNamed(await configOf(project), agent);
  const { dir, retentionDays } = handoff;
  return { deleted: await deleteExpired(dir, retentionDays, new Date()), retentionDays };
}

/** Archives the living document of an agent: it begins afresh from its template. */
export async function archiveLiving(
  project: Project,
  agent?: string,
): Promise<{ path: string; archived: string; warning?: string }> {
  const config = await configOf(project);
  const { name, workingDirectory, handoff } = agentNamed(config, agent);
  const living = handoff.livingDocument ?? (await ofOrchestrators(project, config));
  if (!living) {
    throw new UsageError(
      `The agent ${name} keeps no living document. Set handoff.living_document, or say which job's documents to archive.`,
    );
  }
  const path = join(workingDirectory, living.path);
  if (!(await isFile(path))) throw new UsageError(`There is no living document to archive: ${path}`);
  const { archived, warning } = await archiveLivingDocument(workingDirectory, living, {
    now: new Date(),
    redact: redactor(ownEnvironment()),
  });
  return { path: living.path, archived, ...(warning && { warning }) };
}

/** That of an orchestrator which has run here, where none is configured. */
async function ofOrchestrators({ root }: Project, config: Config): Promise<LivingDocumentConfig | undefined> {
  const isOne = ({ role, project }: OwnSession) => role === "orchestrator" && project === root;
  const orchestrator = (await userRegistry().list()).find(isOne);
  return orchestrator && (await handoffSettings(orchestrator, config)).livingDocument;
}
