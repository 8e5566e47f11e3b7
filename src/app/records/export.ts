import { resolve } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { configuredSecrets } from "../../config/configured-secrets.ts";
import { type ExportedJob, jobPage } from "../../display/html/job-page.ts";
import { replaceFile } from "../../files/replace.ts";
import { costInBrief } from "../../job/cost.ts";
import type { Job } from "../../job/job.ts";
import { LANE_EVENTS, lanesOf } from "../../job/relay/lanes.ts";
import { jobView } from "../../job/view.ts";
import { redactor } from "../../secrets/redact.ts";
import { eventPage } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import { modelsIn } from "../cost/models.ts";
import { namedOrNewest } from "../jobs/which.ts";
import { configOf, lookIntoStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { jobChanges } from "./diff.ts";

/** Of a longer job, the newest are shown. */
const MOST_EVENTS = 20_000;

/** Writes one page with all that there is to see of a job, without secrets. `output`: by default, named after the job. */
export async function exportPage(
  project: Project,
  named: string | undefined,
  output?: string,
): Promise<{ job: string; path: string; bytes: number }> {
  const { job, page } = await pageOf(project, named);
  const path = resolve(output ?? `${job}.html`);
  await replaceFile(path, page);
  return { job, path, bytes: Buffer.byteLength(page) };
}

/** The page itself, for whoever hands it on. */
export async function pageOf(
  project: Project,
  named: string | undefined,
): Promise<{ job: string; page: string }> {
  await using store = await lookIntoStore(project);
  const job = await namedOrNewest(store, named);
  // Those of the configuration as well: whoever reads the page has no business with them.
  const { agents } = await configOf(project);
  const env = ownEnvironment();
  const secrets = Object.assign({}, ...agents.map((agent) => configuredSecrets(agent, env)), env);
  return { job: job.id, page: jobPage(redactor(secrets)(await exported(project, store, job))) };
}

async function exported(project: Project, store: Store, job: Job): Promise<ExportedJob> {
  const { events } = await eventPage(store, job.id, MOST_EVENTS, { order: "desc" });
  const lanes = await eventPage(store, job.id, MOST_EVENTS, { types: LANE_EVENTS, order: "desc" });
  const { models } = await modelsIn(store, job);
  const oldest = events.at(-1)?.seq ?? 1;
  return {
    job: jobView(job),
    lanes: lanesOf(job, lanes.events.toReversed()),
    events: events.toReversed(),
    left: oldest - 1,
    ...(await changesOf(project, job.id)),
    costs: costInBrief(job),
    models: models.map(({ input, cacheRead, cacheWrite, ...model }) => ({
      ...model,
      input: input + cacheRead + cacheWrite,
    })),
    at: new Date().toISOString(),
  };
}

async function changesOf(project: Project, job: string): Promise<Pick<ExportedJob, "patches" | "note">> {
  try {
    const changes = await jobChanges(project, job);
    const files = await changes.files();
    const patches: { file: string; patch: string }[] = [];
    for (const { path } of files) {
      patches.push({ file: path, patch: (await changes.patch([], path)).toString("utf8") });
    }
    return { patches: patches.length === 0 ? "It changed no file." : patches, note: changes.note };
  } catch (error) {
    // A folder that is gone takes nothing from the rest of the page.
    if (error instanceof UsageError) return { patches: error.message };
    throw error;
  }
}
