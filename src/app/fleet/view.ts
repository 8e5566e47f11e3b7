import { configWithoutFile } from "../../config/without-file.ts";
import { halted } from "../../files/halt.ts";
import { admission, keyOf, type WaitReason } from "../../fleet/admission.ts";
import type { Owner } from "../../processes/owner.ts";
import { type AccountLimit, limitsIn, phaseOf } from "../../store/fleet/accounts.ts";
import { configurationOf } from "../../store/fleet/configurations.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { pausesIn } from "../../store/fleet/pauses.ts";
import { hasServed, lastServed, slotsIn } from "../../store/fleet/slots.ts";
import { queueEntries } from "../../store/queue.ts";
import { type FleetState, lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import { type ChatConnectionView, chatsIn } from "../conversations/connections-view.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";
import { type WorkStanding, workStanding } from "../work/standing.ts";
import { limitedAgents } from "./accounts.ts";
import { barsOf } from "./bars.ts";
import type { FleetProject } from "./projects.ts";
import { limitsOf, takenBy, waitingAmong } from "./situation.ts";

/** A job that waits, as every face shows it: its keys are a promise to users. */
export interface QueuedView {
  job: string;
  agent: string;
  priority: number;
  /** From 1. */
  position: number;
  queuedAt: string;
  after?: string[];
  reason: WaitReason;
}

/** The fleet of a project, as every face shows it: its keys are a promise to users. */
export interface FleetView {
  state: "running" | "draining" | "not running";
  pid?: number;
  host?: string;
  since?: string;
  projects?: string[];
  /** Of all projects together. Missing where there is neither a fleet nor anything for one to do. */
  slots?: { taken: number; total: number };
  /** Usage limits that hold jobs of this project: whose, and until when. */
  limits?: { account: string; until: string; message: string }[];
  /** All work is, by `baton halt`: nothing starts anywhere. */
  halted?: { since: string; by: string };
  /** What of the queue somebody paused: all of it where `agent` is null. */
  paused?: { agent: string | null; since: string }[];
  /** Why the files of the project as they are now are not used by its fleet, and since when. */
  configurationProblem?: { problem: string; since: string };
  /** The bots through which its agents talk, and how their connections fare. */
  chats?: ChatConnectionView[];
  /** The trackers that it takes work from. */
  work?: WorkStanding[];
  /** Nothing is queued or scheduled here, and no fleet has ever run a job: whether one runs now is nobody's concern. */
  unused?: true;
  /** What it runs of this project. */
  running: { job: string; agent: string; since: string }[];
  queue: QueuedView[];
}

const NOT_RUNNING: WaitReason = {
  code: "not-running",
  text: "the fleet is not running",
};

/** The fleet of a project, and what waits for it: by the same decision as the fleet's own. */
export async function fleetView({ project, config, store }: FleetProject): Promise<FleetView> {
  using state = lookIntoFleetState();
  const now = new Date();
  const entries = await queueEntries(store);
  const fleet = state && fleetOf(state, project.root);
  const slots = state ? slotsIn(state) : [];
  const known = limitsOf([{ project, config }]);
  // It may run other projects too, which allow more.
  const limits = { ...known, total: fleet?.slots ?? known.total };
  const context = { state, projects: [{ project, config, store }], now };
  const bar = await barsOf(context);
  const { all } = await limitedAgents(context);
  const reached = all.filter((limit) => phaseOf(limit, now) === "limited").map(limitView);
  const { start, waits } = admission({
    waiting: await waitingAmong(project.root, store, entries, now),
    taken: takenBy(slots, new Map([[project.root, entries]])),
    limits,
    lastServed: state ? lastServed(state) : () => undefined,
    barred: (next) => {
      if (!fleet) return NOT_RUNNING;
      return fleet.asked === "drain" ? DRAINING : bar(next);
    },
  });
  const placeOf = (job: string) => waits.get(keyOf({ project: project.root, job }));
  const queue = entries.flatMap(({ job, agent, priority, queuedAt, after }): QueuedView[] => {
    const isNext = start.some((each) => each.job === job);
    const place = placeOf(job) ?? (isNext ? { position: 0, reason: NEXT } : undefined);
    if (!place) return [];
    const shown = { job, agent, priority, queuedAt, ...place };
    return [{ ...shown, ...(after.length > 0 && { after }) }];
  });
  const running = slots.filter((slot) => slot.project === project.root);
  const work = fleet ? await workStanding(store) : [];
  return {
    ...(work.length > 0 && { work }),
    ...stateOf(fleet),
    ...heldBack(state, project),
    ...(state && problemIn(state, project)),
    ...(state && chatsIn(state, project)),
    slots: { taken: slots.length, total: limits.total },
    ...(reached.length > 0 && { limits: reached }),
    running: running.map(({ job, agent, since }) => ({ job, agent, since })),
    queue: inOrder(queue),
  };
}

/** By people, whether a fleet runs or not. */
function heldBack(state: FleetState | undefined, { root }: Project): Pick<FleetView, "halted" | "paused"> {
  const halt = halted();
  const pauses = state ? pausesIn(state).filter(({ project }) => project === root) : [];
  const paused = pauses.map(({ agent, since }) => ({ agent, since }));
  return { ...(halt && { halted: halt }), ...(paused.length > 0 && { paused }) };
}

function problemIn(state: FleetState, { root }: Project): Pick<FleetView, "configurationProblem"> {
  const { problem, since } = configurationOf(state, root) ?? {};
  return problem && since ? { configurationProblem: { problem, since } } : {};
}

function limitView({ label, until, message }: AccountLimit) {
  return { account: label, until: new Date(until).toISOString(), message };
}

export const DRAINING: WaitReason = { code: "draining", text: "the fleet is draining" };
const NEXT: WaitReason = { code: "next", text: "it starts next" };

/** Those that start now come first, and count too. */
function inOrder(queue: readonly QueuedView[]): QueuedView[] {
  return queue
    .toSorted((a, b) => a.position - b.position)
    .map((each, index) => ({ ...each, position: index + 1 }));
}

function stateOf(
  fleet: { owner: Owner; projects: string[]; asked: string | null } | undefined,
): Pick<FleetView, "state" | "pid" | "host" | "since" | "projects"> {
  if (!fleet) return { state: "not running" };
  const { owner, projects, asked } = fleet;
  const { pid, host, since } = owner;
  return { state: asked === null ? "running" : "draining", pid, host, since, projects };
}

/** The same for a face that has only looked for the project. What cannot be read is no reason to show nothing. */
export async function fleetOfProject(project: Project): Promise<FleetView> {
  await using store = hasStore(project) ? await lookIntoStore(project) : undefined;
  // A store that can only be read may be too old to have a queue.
  const entries = store ? await queueEntries(store).catch(() => []) : [];
  if (!store || (entries.length === 0 && !isAnyoneLimited())) {
    const known = whoRuns(project);
    const work = store && known.state !== "not running" ? await workStanding(store) : [];
    const isHeldBack = known.halted !== undefined || known.paused !== undefined;
    const isUnused = known.state === "not running" && !isHeldBack && !(await hasUse(project));
    return {
      ...known,
      ...(isUnused && { unused: true }),
      ...(work.length > 0 && { work }),
      running: [],
      queue: [],
    };
  }
  const config = await configOf(project).catch(() => configWithoutFile(project.root));
  return await fleetView({ project, config, store });
}

/** Whether a fleet has run jobs of a project, or would start some by itself. What cannot be read, or is not trusted yet, may say so. */
async function hasUse(project: Project): Promise<boolean> {
  using state = lookIntoFleetState();
  if (state && hasServed(state, project.root)) return true;
  return await configOf(project).then(
    ({ agents, acting, workSources }) =>
      agents.some(({ schedules }) => schedules.some(({ enabled }) => enabled)) ||
      workSources.length > 0 ||
      acting.some(({ key, trust }) => /\.(?:schedules|work_source)/.test(key) && trust.state === "new"),
    () => true,
  );
}

function isAnyoneLimited(): boolean {
  using state = lookIntoFleetState();
  return state ? limitsIn(state).some((limit) => phaseOf(limit, new Date()) === "limited") : false;
}

function whoRuns(
  project: Project,
): Pick<FleetView, "state" | "halted" | "paused" | "pid" | "host" | "since" | "projects"> {
  using state = lookIntoFleetState();
  const back = heldBack(state, project);
  if (!state) return { ...stateOf(undefined), ...back };
  const known = { ...back, ...problemIn(state, project), ...chatsIn(state, project) };
  return { ...stateOf(fleetOf(state, project.root)), ...known };
}
