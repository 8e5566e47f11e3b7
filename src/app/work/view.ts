import type { WrittenSource } from "../../config/work-source.ts";
import type { ItemWait } from "../../sources/choose.ts";
import type { ApiBudget, Item } from "../../sources/source.ts";
import { given } from "../../util/given.ts";
import type { Line } from "./lines.ts";

/** An item as every face shows it: its keys are a promise to users. */
export interface ShownItem {
  id: string;
  title: string;
  url: string;
  priority: 1 | 2 | 3 | 4;
  labels: string[];
  author: string;
  /** May write, so that what they say counts. Missing in what an earlier Baton recorded. */
  authorTrusted?: boolean;
  createdAt: string;
  /** Who would take it. */
  agent: string;
  schedule?: string;
  /** `take`: it is the next for its agent. Otherwise why not. */
  state: "take" | ItemWait["code"];
  why?: string;
  /** The job that has it, or had it last. */
  job?: string;
}

export function shownItem(
  { agent, schedule }: Pick<Line, "agent" | "schedule">,
  item: Item,
  { why, job }: { why?: ItemWait | undefined; job?: string | null | undefined } = {},
): ShownItem {
  return {
    ...{ id: item.id, title: item.title, url: item.url, priority: item.priority, labels: item.labels },
    ...{ author: item.by.name, authorTrusted: item.by.trusted, createdAt: item.createdAt },
    agent: agent.name,
    ...(schedule && { schedule: schedule.name }),
    state: why?.code ?? "take",
    ...(why && { why: why.text }),
    ...(job != null && { job }),
  };
}

/** Which items of a tracker an agent takes. */
export interface WorkFilter {
  agent: string;
  schedule?: string;
  labels: { ready: string; inProgress: string; failed: string };
  /** In which it must be. */
  state?: string;
  exclude: string[];
  trust: "collaborators" | "anyone";
  attempts: number;
  pollMs: number;
}

export function filterOf({ agent, schedule, source }: WrittenSource): WorkFilter {
  const { labels, excludeLabels, trust, attempts, pollMs } = source;
  const state = source.type === "linear" ? source.states.ready : undefined;
  return {
    ...{ agent, labels, exclude: excludeLabels, trust, attempts, pollMs },
    ...given({ schedule, state }),
  };
}

/** A tracker that work is taken from, as every face shows it: its keys are a promise to users. */
export interface WorkSourceView {
  source: string;
  /** Who takes items of it. */
  agents: string[];
  /** Which of them, as it is configured. */
  filters: WorkFilter[];
  polledAt?: string;
  nextAt?: string;
  budget?: ApiBudget;
  problem?: { why: string; since: string };
  items: ShownItem[];
}
