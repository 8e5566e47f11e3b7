import { fleetOf } from "../../app/served/fleet.ts";
import { eventIn, eventsIn, type FoundJob, jobAnswer, jobsIn, rowOf } from "../../app/served/jobs.ts";
import { written } from "../../app/served/position.ts";
import { lanesIn } from "../../app/served/relay.ts";
import { Problem } from "../problem.ts";
import type { Handlers } from "./handlers.ts";

export const jobHandlers: Handlers<"listJobs" | "getJob" | "getRelay" | "listEvents" | "getEvent"> = {
  async listJobs({ web, caller: { principal }, query }) {
    const { project, status, agent, epic, since, limit, after, whole } = query;
    const projects = web.served.seenBy(principal, project);
    const position = written(await web.tails.now(projects));
    const wanted = {
      ...(status && { status }),
      ...(agent !== undefined && { agent }),
      ...(epic !== undefined && { epic }),
      ...(since !== undefined && { createdSince: new Date(since) }),
    };
    const { jobs, next } = await jobsIn(projects, wanted, { limit, after });
    const shown = whole ? await Promise.all(jobs.map((found) => answerFor(found))) : jobs.map(rowOf);
    return { answer: { jobs: shown, ...(next !== undefined && { next }), position } };
  },

  async getJob({ web, caller: { principal }, params }) {
    return { answer: await answerFor(await web.served.job(principal, params.job)) };
  },

  async getRelay({ web, caller: { principal }, params }) {
    const found = await web.served.job(principal, params.job);
    return { answer: { job: found.job.id, lanes: await lanesIn(found) } };
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
    const seq = Number(params.seq);
    if (!Number.isSafeInteger(seq) || seq < 1)
      throw new Problem(404, "not-found", "Events are numbered from 1.");
    return { answer: await eventIn(await web.served.job(principal, params.job), seq) };
  },
};

/** What waits says where it stands. */
async function answerFor(found: FoundJob) {
  const queue = found.job.status === "queued" ? (await fleetOf([found.where])).projects[0]?.queue : [];
  return jobAnswer(found, queue ?? []);
}
