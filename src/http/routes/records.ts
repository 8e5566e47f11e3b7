import { maySee } from "../../app/access/principal.ts";
import { budgetsIn, budgetView } from "../../app/cost/budgets.ts";
import { spentByView, spentInStore } from "../../app/cost/by.ts";
import { accountsKnown } from "../../app/fleet/accounts.ts";
import { pauseSchedule, schedulesOf, upcoming } from "../../app/fleet/schedules-view.ts";
import { usualIn } from "../../app/fleet/usual.ts";
import { type WorktreeView, withSizes, worktreesOf } from "../../app/jobs/worktrees.ts";
import { configOf } from "../../app/project.ts";
import { timeInStore } from "../../app/records/time.ts";
import { usualView } from "../../app/served/agents.ts";
import { fleetOf } from "../../app/served/fleet.ts";
import type { ServedProject } from "../../app/served/projects.ts";
import { firesIn, schedulePrompt } from "../../app/served/schedules.ts";
import { startFor } from "../../app/served/start.ts";
import { ownSessions, sessionView } from "../../app/sessions/status.ts";
import { given } from "../../util/given.ts";
import { DAY_MS } from "../../util/time.ts";
import type { Handlers } from "./handlers.ts";

type OfRecords =
  | "listSchedules"
  | "listFires"
  | "runSchedule"
  | "pauseSchedule"
  | "resumeSchedule"
  | "getCost"
  | "listBudgets"
  | "getTime"
  | "listAccounts"
  | "listWorkspaces"
  | "listOwnSessions";

const SHOWN_TIMES = 3;
const YEAR_MS = 366 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
const WEEK_TIMES = 60;

export const recordHandlers: Handlers<OfRecords> = {
  async listSchedules({ web, caller: { principal }, query }) {
    const lists = await Promise.all(web.served.seenBy(principal, query.project).map(schedulesIn));
    return { answer: { schedules: lists.flat() } };
  },

  async listFires({ web, caller: { principal }, query }) {
    const { project, agent, schedule, limit, before } = query;
    return {
      answer: await firesIn(web.served.seenBy(principal, project), given({ agent, schedule }), {
        limit,
        before,
      }),
    };
  },

  async runSchedule({ web, caller: { principal }, params, body, starter }) {
    const { agent, name } = params;
    const where = web.served.only(principal, body.project);
    const prompt = await schedulePrompt(where, agent, name);
    const { job, queued } = await startFor(starter, where, { agent, prompt, schedule: name });
    return {
      answer: { job, ...(queued && { queued }) },
      target: `${agent} ${name}`,
      project: where.project.root,
    };
  },

  async pauseSchedule({ web, caller: { principal }, params: { agent, name }, body }) {
    const { project } = web.served.only(principal, body.project);
    const now = new Date();
    const until = body.until === undefined ? {} : { until: new Date(body.until) };
    await pauseSchedule(project, agent, name, { at: now, ...until }, now);
    return { answer: { ok: true }, target: `${agent} ${name}`, project: project.root };
  },

  async resumeSchedule({ web, caller: { principal }, params: { agent, name }, body }) {
    const { project } = web.served.only(principal, body.project);
    await pauseSchedule(project, agent, name, null, new Date());
    return { answer: { ok: true }, target: `${agent} ${name}`, project: project.root };
  },

  async getCost({ web, caller: { principal }, query }) {
    const { by, since, limit } = query;
    const projects = await Promise.all(
      web.served.seenBy(principal, query.project).map(async ({ key, store }) => {
        const wanted = { limit, ...(since !== undefined && { since: new Date(since) }) };
        return { project: key, ...spentByView(by, await spentInStore(store, by, wanted)) };
      }),
    );
    return { answer: { projects } };
  },

  async listBudgets({ web, caller: { principal }, query }) {
    const lists = await Promise.all(
      web.served
        .seenBy(principal, query.project)
        .map(async ({ key, project }) =>
          (await budgetsIn(project)).map((standing) => ({ ...budgetView(standing), project: key })),
        ),
    );
    return { answer: { budgets: lists.flat() } };
  },

  async getTime({ web, caller: { principal }, query }) {
    const { agent, since } = query;
    const wanted = {
      ...(agent !== undefined && { agent }),
      ...(since !== undefined && { createdSince: new Date(since) }),
    };
    const projects = await Promise.all(
      web.served.seenBy(principal, query.project).map(async ({ key, store }) => ({
        project: key,
        ...(await timeInStore(store, wanted, new Date())),
      })),
    );
    return { answer: { projects } };
  },

  async listAccounts({ web, caller: { principal } }) {
    const accounts = accountsKnown(new Date());
    if (principal.projects === null) return { answer: { accounts } };
    // Of other projects of the user, not even the names of accounts.
    const { projects } = await fleetOf(web.served.seenBy(principal));
    const theirs = new Set(projects.flatMap(({ limits = [] }) => limits).map(({ account }) => account));
    return { answer: { accounts: accounts.filter(({ account }) => theirs.has(account)) } };
  },

  async listWorkspaces({ web, caller: { principal }, query }) {
    const measured = query.sizes ? withSizes : async (views: WorktreeView[]) => views;
    const lists = await Promise.all(
      web.served.seenBy(principal, query.project).map(async ({ key, project }) =>
        (await measured(await worktreesOf(project))).map(({ done: _, ...view }) => ({
          ...view,
          project: key,
        })),
      ),
    );
    return { answer: { workspaces: lists.flat() } };
  },

  async listOwnSessions({ caller: { principal } }) {
    const { sessions } = await ownSessions();
    return {
      answer: { sessions: sessions.filter(({ project }) => maySee(principal, project)).map(sessionView) },
    };
  },
};

async function schedulesIn({ key, project, store }: ServedProject) {
  const now = new Date();
  const views = await schedulesOf(project, now);
  const config = await configOf(project);
  const usual = await usualIn(store, [...new Set(views.map(({ agent }) => agent))]);
  return views.map((view) => {
    const within = (ms: number, most: number) =>
      upcoming(config, [view], { until: new Date(now.getTime() + ms), most }).map(({ at }) =>
        at.toISOString(),
      );
    const takes = usual(view.agent, view.name);
    return {
      ...view,
      project: key,
      upcoming: within(YEAR_MS, SHOWN_TIMES),
      week: within(WEEK_MS, WEEK_TIMES),
      ...(takes && { usual: usualView(takes) }),
    };
  });
}
