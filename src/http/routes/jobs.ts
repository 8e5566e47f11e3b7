import { handoffDocument } from "../../app/handoffs/document.ts";
import { checkpointsOf } from "../../app/jobs/checkpoints.ts";
import { jobChanges, NothingLeftError } from "../../app/records/diff.ts";
import { pageOf } from "../../app/records/export.ts";
import { whyOf, whyView } from "../../app/records/why.ts";
import { fleetOf } from "../../app/served/fleet.ts";
import { costIn } from "../../app/served/job-cost.ts";
import { eventIn, eventsIn, type FoundJob, jobAnswer, jobsIn, rowOf } from "../../app/served/jobs.ts";
import { written } from "../../app/served/position.ts";
import { lanesIn } from "../../app/served/relay.ts";
import { isRaised, startFor } from "../../app/served/start.ts";
import { Problem } from "../problem.ts";
import type { Handlers } from "./handlers.ts";

type OfJobs =
  | "listJobs"
  | "startJob"
  | "getJob"
  | "getRelay"
  | "getJobCost"
  | "getWhy"
  | "listEvents"
  | "getEvent"
  | "listCheckpoints"
  | "getDiff"
  | "getHandoff"
  | "exportJob";

/** More of a file's changes than anybody reads. */
const MOST_PATCH_BYTES = 2 * 1024 * 1024;

export const jobHandlers: Handlers<OfJobs> = {
  async listJobs({ web, caller: { principal }, query }) {
    const { project, status, agent, epic, text, file, since, limit, after, whole } = query;
    const projects = web.served.seenBy(principal, project);
    const position = written(await web.tails.now(projects));
    const wanted = {
      ...(status && { status }),
      ...(agent !== undefined && { agent }),
      ...(epic !== undefined && { epic }),
      ...(text !== undefined && { text }),
      ...(file !== undefined && { file }),
      ...(since !== undefined && { createdSince: new Date(since) }),
    };
    const { jobs, next } = await jobsIn(projects, wanted, { limit, after });
    const shown = whole ? await Promise.all(jobs.map((found) => answerFor(found))) : jobs.map(rowOf);
    return { answer: { jobs: shown, ...(next !== undefined && { next }), position } };
  },

  async startJob({ web, caller: { principal }, body, starter, needs }) {
    const { project: named, ...wanted } = body;
    const where = web.served.only(principal, named);
    const { agent, maxCostUsd } = wanted;
    if (maxCostUsd !== undefined && (await isRaised(where, agent, maxCostUsd))) await needs("answer");
    const { job, queued } = await startFor(starter, where, wanted);
    return { answer: { job, ...(queued && { queued }) }, target: job, project: where.project.root };
  },

  async getJob({ web, caller: { principal }, params }) {
    return { answer: await answerFor(await web.served.job(principal, params.job)) };
  },

  async getRelay({ web, caller: { principal }, params }) {
    const found = await web.served.job(principal, params.job);
    return { answer: { job: found.job.id, lanes: await lanesIn(found) } };
  },

  async getJobCost({ web, caller: { principal }, params }) {
    return { answer: await costIn(await web.served.job(principal, params.job)) };
  },

  async getWhy({ web, caller: { principal }, params }) {
    const { where, job } = await web.served.job(principal, params.job);
    return { answer: whyView(await whyOf(where.project, job.id)) };
  },

  async listEvents({ web, caller: { principal }, params, query }) {
    const { after, before, kinds, limit } = query;
    const found = await web.served.job(principal, params.job);
    const wanted = {
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      ...(kinds && { types: kinds }),
      limit,
    };
    return { answer: await eventsIn(found, wanted) };
  },

  async getEvent({ web, caller: { principal }, params }) {
    const seq = numberIn(params.seq, "Events");
    return { answer: await eventIn(await web.served.job(principal, params.job), seq) };
  },

  async listCheckpoints({ web, caller: { principal }, params }) {
    const { where, job } = await web.served.job(principal, params.job);
    return { answer: { checkpoints: await checkpointsOf(where.project, job.id) } };
  },

  async getDiff({ web, caller: { principal }, params, query }) {
    const found = await web.served.job(principal, params.job);
    const changes = await changesOf(found, query);
    if (typeof changes === "string") {
      if (query.file !== undefined) throw new Problem(404, "not-found", changes);
      return { answer: { job: found.job.id, from: "", to: "", note: changes, files: [] } };
    }
    const files = await changes.files();
    const { job, from, to, note } = changes;
    const answer = { job, from, to, ...(note !== undefined && { note }), files };
    if (query.file === undefined) return { answer };
    // Git is asked for what it has just named, and for nothing else.
    const file = files.find(({ path }) => path === query.file)?.path;
    if (file === undefined)
      throw new Problem(404, "not-found", "That file is not among those that the job changed.");
    const patch = await changes.patch([], file);
    const left = patch.length - MOST_PATCH_BYTES;
    const shown = patch.subarray(0, MOST_PATCH_BYTES).toString("utf8");
    return { answer: { ...answer, patch: shown, ...(left > 0 && { cut: left }) } };
  },

  async getHandoff({ web, caller: { principal }, params }) {
    const number = numberIn(params.number, "Handoffs");
    const { where, job } = await web.served.job(principal, params.job);
    if (!job.handoffs.some((handoff) => handoff.number === number))
      throw new Problem(404, "not-found", `${job.id} has no handoff ${number}.`);
    const shown = await handoffDocument(where.project, String(number), job.id);
    const { text, warning, account, document } = shown;
    const told = { document: text, account, facts: document.facts };
    return { answer: { job: job.id, number, ...told, ...(warning !== undefined && { warning }) } };
  },

  async exportJob({ web, caller: { principal }, params }) {
    const { where, job } = await web.served.job(principal, params.job);
    const { page } = await pageOf(where.project, job.id);
    return { answer: { job: job.id, html: page } };
  },
};

/** Or why there is nothing to see, which is no reason to refuse. */
async function changesOf(
  { where, job }: FoundJob,
  { to, from }: { to?: number | undefined; from?: number | undefined },
) {
  try {
    return await jobChanges(where.project, job.id, to, from);
  } catch (error) {
    if (error instanceof NothingLeftError) return error.message;
    throw error;
  }
}

/** In a path, where everything is text. */
export function numberIn(text: string, what: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new Problem(404, "not-found", `${what} are numbered from 1.`);
}

/** What waits says where it stands. */
async function answerFor(found: FoundJob) {
  const queue = found.job.status === "queued" ? (await fleetOf([found.where])).projects[0]?.queue : [];
  return jobAnswer(found, queue ?? []);
}
