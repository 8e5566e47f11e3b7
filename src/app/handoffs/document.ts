import { basename, join, resolve } from "node:path";
import { noRecordOf } from "../../handoff/continuation.ts";
import { parseDocument } from "../../handoff/document.ts";
import { findDocument, isFile } from "../../handoff/history.ts";
import { renderAccount } from "../../handoff/markdown.ts";
import { readDocumentText } from "../../handoff/read-document.ts";
import { documentOf } from "../../jobs/end/archive.ts";
import { findJob } from "../../store/jobs.ts";
import { codeOf, messageOf } from "../../util/errors.ts";
import { configOf, lookIntoOwnStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { newestWithHandoffs } from "./list.ts";
import { recordedDocument } from "./recorded.ts";

/**
 * A handoff document that the user names by its path, also where it was archived since; or by its name alone, in a folder
 * of handoffs of the project.
 */
export async function readDocument(
  named: string,
  project?: Project,
): Promise<{ path: string; text: string }> {
  const path = await whereIs(named, project);
  try {
    return { path, text: readDocumentText(path) };
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      throw new UsageError(`There is no handoff document ${path}. \`baton handoffs\` lists them.`);
    throw new UsageError(`The handoff document ${path} cannot be read: ${messageOf(error)}`);
  }
}

async function whereIs(named: string, project: Project | undefined): Promise<string> {
  const here = await findDocument(resolve(named));
  if (project === undefined || named !== basename(named) || (await isFile(here))) return here;
  const { agents } = await configOf(project);
  const places = [...new Set(agents.map(({ handoff }) => handoff.dir))].flatMap((dir) => [
    join(dir, named),
    join(dir, `${named}.md`),
  ]);
  const found = await Promise.all(places.map(findDocument));
  const there = await Promise.all(found.map(isFile));
  return found.find((_, index) => there[index]) ?? found[0] ?? here;
}

interface ShownDocument {
  text: string;
  document: ReturnType<typeof parseDocument>;
  /** What the session said, in Markdown, without what Baton added. */
  account: string;
  /** For the person, where Baton has no record of it. */
  warning: string | undefined;
}

/** `which`: the path or the name of a document, or a number within `job`, by default the newest job that has handed off. */
export async function handoffDocument(project: Project, which: string, job?: string): Promise<ShownDocument> {
  const named = /^\d+$/.test(which) ? await numbered(project, Number(which), job) : which;
  const { path, text } = await readDocument(named, project);
  const recorded = await recordedDocument({ path, text }, project);
  const document = parseDocument(text);
  const account = renderAccount(document.account);
  return { text, document, account, warning: recorded ? undefined : noRecordOf(path) };
}

async function numbered(project: Project, number: number, named: string | undefined): Promise<string> {
  await using store = await lookIntoOwnStore(project);
  const [job] = named === undefined ? await newestWithHandoffs(store, 1) : [await findJob(store, named)];
  if (!job) throw new UsageError("No job here has handed off yet.");
  const handoff = job.handoffs.find((candidate) => candidate.number === number);
  if (handoff) {
    const path = await documentOf(handoff);
    if (await isFile(path)) return path;
    throw new UsageError(
      `The document of handoff ${number} of ${job.id} is deleted: archived ones are kept for handoff.retention_days.`,
    );
  }
  throw new UsageError(`${job.id} has no handoff ${number}. \`baton handoffs\` lists them.`);
}
