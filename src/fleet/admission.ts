import type { JobStatus } from "../job/job.ts";

/** Why a job waits. Told apart by code; the words are for people. */
export interface WaitReason {
  code:
    | "not-running"
    | "halted"
    | "paused"
    | "draining"
    | "budget"
    | "limit"
    | "disk"
    | "memory"
    | "after"
    | "held"
    | "serial"
    | "fleet-full"
    | "project-full"
    | "agent-full"
    | "next";
  text: string;
}

/** A job in the queue. */
export interface Waiting {
  project: string;
  job: string;
  agent: string;
  /** The higher, the sooner. */
  priority: number;
  /** Of those alike the lower comes first. */
  place: number;
  queuedAt: string;
  /** Jobs that must be completed first, as they are; undefined where one is no longer on record. */
  after: readonly { job: string; status: JobStatus | undefined }[];
  /** Why it could not be started, where it is too early to try again. */
  held?: string;
  /** Of jobs of a project with the same one, only one runs at a time. */
  serial?: string;
}

/** A slot that is taken. */
interface Taken {
  project: string;
  agent: string;
  serial?: string;
}

export interface Limits {
  /** Slots of all projects together. */
  total: number;
  ofProject(project: string): number;
  ofAgent(project: string, agent: string): number;
}

export interface Situation {
  waiting: readonly Waiting[];
  taken: readonly Taken[];
  limits: Limits;
  /** When a job of each agent last got a slot. */
  lastServed(project: string, agent: string): string | undefined;
  /** Why it may not start now, whatever slots there are. */
  barred?(next: Waiting): WaitReason | undefined;
}

interface Place {
  /** From 1. */
  position: number;
  reason: WaitReason;
}

export interface Admission {
  /** In the order in which they start. */
  start: Waiting[];
  /** The others, by project and job: see `keyOf`. */
  waits: Map<string, Place>;
}

/** A job that waits until another one of its agent, of its project or of all gives its slot back. */
export type Full = Pick<Waiting, "project" | "agent"> & { code: WaitReason["code"] };

/** Whether it could start in place of a job of this agent. */
export function makesRoom(slot: Pick<Taken, "project" | "agent">, { project, agent, code }: Full): boolean {
  switch (code) {
    case "fleet-full":
      return true;
    case "project-full":
      return slot.project === project;
    case "agent-full":
      return slot.project === project && slot.agent === agent;
    default:
      return false;
  }
}

export const keyOf = ({ project, job }: { project: string; job: string }) => `${project}\0${job}`;

/** Who gets a slot now, and why each of the others waits. */
export function admission(situation: Situation): Admission {
  const { taken, limits, barred } = situation;
  const used = new Used(taken);
  const start: Waiting[] = [];
  const waits = new Map<string, Place>();
  for (const next of inOrder(situation)) {
    const reason = barred?.(next) ?? whyNot(next, used, limits);
    if (reason) waits.set(keyOf(next), { position: waits.size + 1, reason });
    else {
      used.add(next);
      start.push(next);
    }
  }
  return { start, waits };
}

function whyNot(next: Waiting, used: Used, limits: Limits): WaitReason | undefined {
  const { project, agent } = next;
  const before = next.after.find(({ status }) => status !== "completed");
  if (before) return { code: "after", text: afterWords(before) };
  if (next.held !== undefined) return { code: "held", text: next.held };
  if (next.serial !== undefined && used.hasSerial(project, next.serial)) {
    return { code: "serial", text: `the last run of ${next.serial} has not ended` };
  }
  const ofAgent = limits.ofAgent(project, agent);
  if (used.ofAgent(project, agent) >= ofAgent) {
    return { code: "agent-full", text: `${agent} is at ${used.ofAgent(project, agent)} of ${ofAgent}` };
  }
  if (used.total >= limits.total) {
    return { code: "fleet-full", text: `the fleet is at ${used.total} of ${limits.total}` };
  }
  const ofProject = limits.ofProject(project);
  if (used.ofProject(project) < ofProject) return undefined;
  return { code: "project-full", text: `this project is at ${used.ofProject(project)} of ${ofProject}` };
}

function afterWords({ job, status }: Waiting["after"][number]): string {
  if (status === undefined) return `after ${job}, which is no longer on record`;
  const isOver = status === "failed" || status === "cancelled" || status === "paused";
  return isOver
    ? `after ${job}, which is ${status}: resume that one, or free this with \`baton queue move --free\``
    : `after ${job}, which is ${status}`;
}

/**
 * The highest priority first. Of those alike, agents take turns: whoever had no slot for longest, and has the fewest, comes
 * first, so that one with a hundred jobs does not keep another's only one waiting for all of them.
 */
function inOrder({ waiting, taken, lastServed }: Situation): Waiting[] {
  const order: Waiting[] = [];
  const turns = new Turns(taken, lastServed);
  const byPriority = Map.groupBy(waiting, ({ priority }) => priority);
  for (const priority of [...byPriority.keys()].sort((a, b) => b - a)) {
    const alike = byPriority.get(priority) ?? [];
    const queues = [...Map.groupBy(alike, agentOf).values()].map((queue) =>
      queue.toSorted((a, b) => a.place - b.place || compare(a.job, b.job)),
    );
    while (queues.length > 0) {
      queues.sort((a, b) => turns.compared(first(a), first(b)));
      const next = queues[0]?.shift();
      if (next) {
        order.push(next);
        turns.served(next);
      }
      if (queues[0]?.length === 0) queues.shift();
    }
  }
  return order;
}

function first(queue: readonly Waiting[]): Waiting {
  const [head] = queue;
  if (!head) throw new Error("a queue without jobs is none");
  return head;
}

const agentOf = ({ project, agent }: Taken) => `${project}\0${agent}`;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Whose turn it is. */
class Turns {
  readonly #slots = new Map<string, number>();
  readonly #given = new Map<string, number>();
  readonly #lastServed: Situation["lastServed"];
  #count = 0;

  constructor(taken: readonly Taken[], lastServed: Situation["lastServed"]) {
    for (const slot of taken) this.#slots.set(agentOf(slot), (this.#slots.get(agentOf(slot)) ?? 0) + 1);
    this.#lastServed = lastServed;
  }

  served(next: Waiting): void {
    const agent = agentOf(next);
    this.#slots.set(agent, (this.#slots.get(agent) ?? 0) + 1);
    this.#given.set(agent, ++this.#count);
  }

  compared(a: Waiting, b: Waiting): number {
    const [one, other] = [agentOf(a), agentOf(b)];
    const slots = (this.#slots.get(one) ?? 0) - (this.#slots.get(other) ?? 0);
    const given = (this.#given.get(one) ?? 0) - (this.#given.get(other) ?? 0);
    const served = compare(
      this.#lastServed(a.project, a.agent) ?? "",
      this.#lastServed(b.project, b.agent) ?? "",
    );
    return slots || given || served || a.place - b.place || compare(a.job, b.job);
  }
}

/** How many slots are taken, with those that are given meanwhile. */
class Used {
  total = 0;
  readonly #counts = new Map<string, number>();
  readonly #serials = new Set<string>();

  constructor(taken: readonly Taken[]) {
    for (const slot of taken) this.add(slot);
  }

  add({ project, agent, serial }: Taken): void {
    this.total += 1;
    if (serial !== undefined) this.#serials.add(`${project}\0${serial}`);
    for (const key of [project, agentOf({ project, agent })]) this.#counts.set(key, this.#count(key) + 1);
  }

  hasSerial(project: string, serial: string): boolean {
    return this.#serials.has(`${project}\0${serial}`);
  }

  ofProject(project: string): number {
    return this.#count(project);
  }

  ofAgent(project: string, agent: string): number {
    return this.#count(agentOf({ project, agent }));
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
