import { leftFor } from "../../app/served/start.ts";
import { configuredWork } from "../../app/work/list.ts";
import { claimItem, ignoreItem, releaseItem } from "../../app/work/steer.ts";
import { given } from "../../util/given.ts";
import type { Handlers } from "./handlers.ts";

type OfWork = "listWork" | "claimWork" | "releaseWork" | "ignoreWork";

export const workHandlers: Handlers<OfWork> = {
  async listWork({ web, caller: { principal }, query }) {
    const lists = await Promise.all(
      web.served
        .seenBy(principal, query.project)
        .map(async ({ key, project }) =>
          (await configuredWork(project)).map((source) => ({ project: key, ...source })),
        ),
    );
    return { answer: { sources: lists.flat() } };
  },

  async claimWork({ web, caller: { principal }, params: { id }, body, starter }) {
    const { project } = web.served.only(principal, body.project);
    const { source, agent } = body;
    const mostUsd = await leftFor(starter);
    const answer = await claimItem(project, { id, ...given({ source, agent }) }, { mostUsd });
    const { job } = answer;
    if (job !== undefined) web.access.willStart(principal, { project: project.root, job, request: null });
    return { answer, target: id, project: project.root };
  },

  async releaseWork({ web, caller: { principal }, params: { id }, body }) {
    const { project } = web.served.only(principal, body.project);
    const answer = await releaseItem(project, { id, ...given({ source: body.source }) });
    return { answer, target: id, project: project.root };
  },

  async ignoreWork({ web, caller: { principal }, params: { id }, body }) {
    const { project } = web.served.only(principal, body.project);
    const { source, undo = false } = body;
    const answer = await ignoreItem(project, { id, ...given({ source }) }, { undo });
    return { answer, target: id, project: project.root };
  },
};
