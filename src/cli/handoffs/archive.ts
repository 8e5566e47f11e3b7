import {
  type ArchivedDocuments,
  archiveEpic,
  archiveJob,
  archiveLiving,
  deleteOldDocuments,
} from "../../app/handoffs/archive.ts";
import { findProject, type Project } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { printJson, printWords } from "../../display/print.ts";
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
    throw new UsageError("Give only one of these: a job, --epic or --clean.");
  }
  const project = findProject(options);
  if (clean) return deleteOld(project, options);
  if (id !== undefined) return say(options, await archiveJob(project, id));
  return epic === undefined ? living(project, options) : endEpic(project, epic, options);
}

async function endEpic(project: Project, epic: string, options: HandoffArchiveOptions): Promise<number> {
  const done = await archiveEpic(project, epic);
  const { open } = done;
  const code = say(options, done);
  if (!options.json && open.length > 0) {
    const [are, their, they] = open.length === 1 ? ["is", "its", "it is"] : ["are", "their", "they are"];
    const jobs = `${counted(open.length, "job")} of the epic ${are} not finished, so ${their} documents stay`;
    printWords(`${jobs}: ${open.join(", ")}. Run this again when ${they}.`);
  }
  return code;
}

function say({ json }: HandoffArchiveOptions, done: ArchivedDocuments): number {
  const { archived } = done;
  if (json) printJson(done);
  else printWords([`Archived ${counted(archived.length, "document")}.`, ...archived].join("\n  "));
  return 0;
}

async function deleteOld(project: Project, { agent, json }: HandoffArchiveOptions): Promise<number> {
  const { deleted, retentionDays } = await deleteOldDocuments(project, agent);
  if (json) printJson({ deleted });
  else {
    const what = counted(deleted.length, "archived document");
    const age = counted(retentionDays, "day");
    printWords([`Deleted ${what}, older than ${age}.`, ...deleted].join("\n  "));
  }
  return 0;
}

async function living(project: Project, { agent, json }: HandoffArchiveOptions): Promise<number> {
  const { path, ...done } = await archiveLiving(project, agent);
  if (json) printJson(done);
  else printWords([`Archived ${path} as ${done.archived}.`, done.warning ?? []].flat().join("\n"));
  return 0;
}
