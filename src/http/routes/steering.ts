import { enqueueResting } from "../../app/fleet/enqueue.ts";
import { moveJob } from "../../app/fleet/queue.ts";
import { alwaysLine } from "../../app/inbox/always.ts";
import { answerForPerson } from "../../app/inbox/answer.ts";
import { inboxOf, takeOutForPerson } from "../../app/inbox/inbox.ts";
import { cancelById } from "../../app/jobs/cancel.ts";
import { handOffById } from "../../app/jobs/hand-off.ts";
import { changeWaiting, messagesFor, sendTo, takeBack, toldIn } from "../../app/jobs/messages.ts";
import { forkOf } from "../../app/jobs/steer/fork.ts";
import { pauseById } from "../../app/jobs/steer/pause.ts";
import { retryOf } from "../../app/jobs/steer/retry.ts";
import { askIn } from "../../app/served/asks.ts";
import type { FoundJob } from "../../app/served/jobs.ts";
import { resumedFor, startAgainFor } from "../../app/served/start.ts";
import { given } from "../../util/given.ts";
import { Problem } from "../problem.ts";
import { type Ask, type Handlers, soon } from "./handlers.ts";
import { numberIn } from "./jobs.ts";

type OfSteering =
  | "listMessages"
  | "sendMessage"
  | "changeMessage"
  | "removeMessage"
  | "pauseJob"
  | "resumeJob"
  | "cancelJob"
  | "retryJob"
  | "forkJob"
  | "handOffJob"
  | "moveJob"
  | "listInbox"
  | "answerAsk"
  | "getAlways"
  | "leaveInbox";

export const steeringHandlers: Handlers<OfSteering> = {
  async listMessages(ask) {
    const { where, job } = await foundBy(ask);
    const { store } = where;
    return { answer: { waiting: await messagesFor(store, job.id), told: await toldIn(store, job.id) } };
  },

  async sendMessage(ask) {
    const found = await foundBy(ask);
    const { text, at } = ask.body;
    return { answer: await sendTo(found.where.store, found.job, text, at), ...about(found) };
  },

  async changeMessage(ask) {
    const { found, message } = await messageOf(ask);
    const answer = await changeWaiting(found.where.store, message, given(ask.body));
    return { answer, ...about(found) };
  },

  async removeMessage(ask) {
    const { found, message } = await messageOf(ask);
    return { answer: await takeBack(found.where.store, message), ...about(found) };
  },

  async pauseJob(ask) {
    const found = await foundBy(ask);
    const paused = await soon(pauseById(found.where.store, found.job.id));
    const state = paused?.state === "paused" ? ("done" as const) : ("asked" as const);
    return {
      answer: { job: found.job.id, state, ...(paused && { status: paused.job.status }) },
      ...about(found),
    };
  },

  async resumeJob(ask) {
    const found = await foundBy(ask);
    const { maxCostUsd, ...place } = ask.body;
    // To raise what it may cost is an answer to why it paused.
    if (maxCostUsd !== undefined) await ask.needs("answer");
    const anew = await resumedFor(ask.starter, found.job, maxCostUsd);
    const { job, queued } = await enqueueResting(found.where.project, found.job.id, given(place), anew);
    return { answer: { job, ...(queued && { queued }) }, ...about(found) };
  },

  async cancelJob(ask) {
    const found = await foundBy(ask);
    const cancelled = await soon(cancelById(found.where.store, found.job.id));
    return {
      answer: {
        job: found.job.id,
        state: cancelled ? "done" : "asked",
        ...(cancelled && { status: cancelled.status }),
      },
      ...about(found),
    };
  },

  async retryJob(ask) {
    const found = await foundBy(ask);
    const { project } = found.where;
    const { job, queued } = await startAgainFor(ask.starter, found.where, found.job, (chosen) =>
      retryOf(project, found.job.id, { chosen }),
    );
    return { answer: { job, ...(queued && { queued }) }, ...about(found) };
  },

  async forkJob(ask) {
    const found = await foundBy(ask);
    const { project } = found.where;
    const { from, says } = ask.body;
    const { job, queued } = await startAgainFor(ask.starter, found.where, found.job, (chosen) =>
      forkOf(project, found.job.id, { from, says, chosen }),
    );
    return { answer: { job, ...(queued && { queued }) }, ...about(found) };
  },

  async handOffJob(ask) {
    const found = await foundBy(ask);
    const { where, job } = found;
    const made = await soon(handOffById(where.store, where.project, job.id, given(ask.body)));
    const message = made && "message" in made ? made.message : undefined;
    return {
      answer: { job: job.id, state: made ? "done" : "asked", ...(message !== undefined && { message }) },
      ...about(found),
    };
  },

  async moveJob(ask) {
    const found = await foundBy(ask);
    const { fleet } = await moveJob(found.where.project, found.job.id, given(ask.body));
    const queued = fleet.queue.find(({ job }) => job === found.job.id);
    return { answer: { job: found.job.id, ...(queued && { queued }) }, ...about(found) };
  },

  async listInbox({ web, caller: { principal }, query }) {
    const rows = await Promise.all(
      web.served.seenBy(principal, query.project).map(async ({ key, project }) => {
        const inbox = await inboxOf(project);
        return inbox.map((row) => ({ ...row, project: key }));
      }),
    );
    return { answer: { inbox: rows.flat() } };
  },

  async answerAsk({ web, caller: { principal }, params, body }) {
    const { project } = await askIn(web.served.seenBy(principal), params.ask);
    const answer = await answerForPerson(project, params.ask, body);
    return { answer, target: `${answer.job} ${answer.ask}`, project: project.root };
  },

  async getAlways({ web, caller: { principal }, params }) {
    const { project } = await askIn(web.served.seenBy(principal), params.ask);
    const { agent, rule, file, at } = await alwaysLine(project, params.ask, "allowed_tools");
    return { answer: { agent, rule, file, ...(at && { at }) } };
  },

  async leaveInbox({ web, caller: { principal }, body }) {
    const { project } = web.served.only(principal, body.project);
    await takeOutForPerson(project, body.id);
    return { answer: { ok: true }, target: body.id, project: project.root };
  },
};

type OfOneJob = Ask<Exclude<OfSteering, "listInbox" | "answerAsk" | "getAlways" | "leaveInbox">>;

function foundBy({ web, caller, params }: Pick<OfOneJob, "web" | "caller" | "params">): Promise<FoundJob> {
  return web.served.job(caller.principal, params.job);
}

function about({ where, job }: FoundJob) {
  return { target: job.id, project: where.project.root };
}

/** A message of this job, and of no other. */
async function messageOf(ask: Ask<"changeMessage"> | Ask<"removeMessage">) {
  const found = await foundBy(ask);
  const message = numberIn(ask.params.message, "Messages");
  const waiting = await messagesFor(found.where.store, found.job.id);
  if (waiting.some(({ id }) => id === message)) return { found, message };
  throw new Problem(404, "not-found", `No message ${message} waits for ${found.job.id}.`);
}
