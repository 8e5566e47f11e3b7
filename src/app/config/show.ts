import {
  type Origin,
  originsOfAgent,
  originsOfFleet,
  originsOfMaintenance,
  originsOfWatch,
  originsOfWeb,
  originsOfWebhooks,
} from "../../config/layers/origins.ts";
import { loadWritten } from "../../config/load.ts";
import type { Project } from "../project.ts";
import { unknownAgent } from "./unknown-agent.ts";

export interface ConfigValues {
  files: string[];
  agents: { name: string; values: Origin[] }[];
  /** What is of no agent; left out where only one was asked for. */
  maintenance?: Origin[];
  watch?: Origin[];
  fleet?: Origin[];
  web?: Origin[];
  webhooks?: Origin[];
}

/** Every value that holds, and where it was written; of one agent, or of all. */
export function configValues(project: Project, agent?: string): ConfigValues {
  const written = loadWritten(project);
  const wanted = written.agents.filter(({ name }) => agent === undefined || name === agent);
  if (wanted.length === 0) throw unknownAgent(agent ?? "", written);
  return {
    files: written.files,
    agents: wanted.map((each) => ({ name: each.name, values: originsOfAgent(each) })),
    ...(agent === undefined && {
      maintenance: originsOfMaintenance(written),
      watch: originsOfWatch(written),
      fleet: originsOfFleet(written),
      web: originsOfWeb(written),
      webhooks: originsOfWebhooks(written),
    }),
  };
}
