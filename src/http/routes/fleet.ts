import { maySee } from "../../app/access/principal.ts";
import { configValues } from "../../app/config/show.ts";
import { haltAll, unhalt } from "../../app/fleet/halt.ts";
import { plansOf, planView } from "../../app/fleet/plan.ts";
import { pauseQueue, resumeQueue } from "../../app/fleet/queue.ts";
import { reloadFleet } from "../../app/fleet/reload.ts";
import { drainFleet } from "../../app/fleet/stop.ts";
import { agentsIn } from "../../app/served/agents.ts";
import { fleetOf } from "../../app/served/fleet.ts";
import { written } from "../../app/served/position.ts";
import { Problem } from "../problem.ts";
import { type Handlers, soon } from "./handlers.ts";

type OfFleet =
  | "getFleet"
  | "pauseFleet"
  | "resumeFleet"
  | "haltFleet"
  | "unhaltFleet"
  | "drainFleet"
  | "reloadFleet"
  | "getPlan"
  | "listAgents"
  | "getAgentConfig"
  | "pauseAgent"
  | "resumeAgent";

const DONE = { ok: true } as const;

export const fleetHandlers: Handlers<OfFleet> = {
  async getFleet({ web, caller: { principal }, query }) {
    const projects = web.served.seenBy(principal, query.project);
    // Taken first: what happens while the answer is made comes again in the stream.
    const position = written(await web.tails.now(projects));
    return { answer: { ...(await fleetOf(projects)), position } };
  },

  async pauseFleet({ web, caller: { principal }, body }) {
    const { project } = web.served.only(principal, body.project);
    await pauseQueue(project, undefined);
    return { answer: DONE, project: project.root };
  },

  async resumeFleet({ web, caller: { principal }, body }) {
    const { project } = web.served.only(principal, body.project);
    await resumeQueue(project, undefined);
    return { answer: DONE, project: project.root };
  },

  async haltFleet({ caller: { principal } }) {
    // It stops all projects of the user, also those that are not served here.
    if (principal.projects)
      throw new Problem(403, "scope", "Halting stops all projects: use a token made with --all.");
    await soon(haltAll(new Date()));
    return { answer: DONE };
  },

  async unhaltFleet({ caller: { principal } }) {
    if (principal.projects)
      throw new Problem(403, "scope", "This starts all projects: use a token made with --all.");
    unhalt();
    return { answer: DONE };
  },

  async drainFleet({ web, caller: { principal }, body }) {
    const { project } = web.served.only(principal, body.project);
    if (!web.served.isAllSeenBy(principal))
      throw new Problem(403, "scope", "This fleet runs other projects, too: use a token made with --all.");
    drainFleet(project);
    return { answer: DONE, project: project.root };
  },

  async reloadFleet({ web, caller: { principal }, body }) {
    const { project } = web.served.only(principal, body.project);
    const read = await reloadFleet(project);
    const projects = read.filter(({ project: root }) => maySee(principal, root));
    return { answer: { projects }, project: project.root };
  },

  async getPlan({ web, caller: { principal }, query }) {
    const now = new Date();
    const seen = web.served.seenBy(principal, query.project);
    const plans = await plansOf(
      seen.map(({ project }) => project),
      now,
    );
    const projects = plans.map(([, found], index) => {
      const { runs, ...plan } = planView(found);
      const told = runs.map(({ starts, ...run }) => ({
        ...run,
        ...(starts && { starts: starts.toISOString() }),
      }));
      return { project: seen[index]?.key ?? "", ...plan, runs: told };
    });
    return { answer: { projects } };
  },

  async listAgents({ web, caller: { principal }, query }) {
    const projects = web.served.seenBy(principal, query.project);
    return { answer: { agents: (await Promise.all(projects.map(agentsIn))).flat() } };
  },

  async getAgentConfig({ web, caller: { principal }, params, query }) {
    const { project } = web.served.only(principal, query.project);
    const { files, agents } = configValues(project, params.agent);
    return { answer: { agent: params.agent, files, values: agents[0]?.values ?? [] } };
  },

  async pauseAgent({ web, caller: { principal }, params, body }) {
    const { project } = web.served.only(principal, body.project);
    await pauseQueue(project, params.agent);
    return { answer: DONE, target: params.agent, project: project.root };
  },

  async resumeAgent({ web, caller: { principal }, params, body }) {
    const { project } = web.served.only(principal, body.project);
    await resumeQueue(project, params.agent);
    return { answer: DONE, target: params.agent, project: project.root };
  },
};
