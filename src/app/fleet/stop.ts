import { setTimeout as sleep } from "node:timers/promises";
import { liveness } from "../../processes/owner.ts";
import { ask, type FleetRecord, fleetOf, fleetsIn } from "../../store/fleet/fleets.ts";
import { type Slot, slotsIn } from "../../store/fleet/slots.ts";
import { type FleetState, lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";

/** `now`: its process is killed, whatever it does. Nothing is lost by that either: the next fleet continues. */
export type How = "stop" | "drain" | "now";

export interface Stopped {
  pid: number;
  how: How;
  /** What it ran when it was asked. */
  jobs: { job: string; agent: string; project: string }[];
}

const POLL_MS = 100;

/** Ends the fleet of a project, and returns when it has ended. `begun`: what it runs, before that is waited for. */
export async function stopFleet(
  project: Project,
  how: How,
  begun: (stopped: Stopped) => void = () => {},
  signal?: AbortSignal,
): Promise<Stopped> {
  using found = lookIntoFleetState();
  const { state, fleet } = fleetToAsk(found, project);
  const { id, owner } = fleet;
  const jobs = slotsIn(state).filter((slot) => slot.fleet === id);
  const stopped = { pid: owner.pid, how, jobs: jobs.map(shown) };
  if (how === "now") {
    // A process of the same number here would be another.
    if (liveness(owner) !== "alive") throw new NotSeenError(fleet);
    process.kill(owner.pid, "SIGKILL");
  } else ask(state, id, how);
  begun(stopped);
  while (isThere(state, fleet)) await sleep(POLL_MS, undefined, { ...(signal && { signal }) });
  return stopped;
}

/** Asks it to start nothing more and to end when what runs has ended, and returns at once. */
export function drainFleet(project: Project): void {
  using found = lookIntoFleetState();
  const { state, fleet } = fleetToAsk(found, project);
  ask(state, fleet.id, "drain");
}

class NotSeenError extends UsageError {
  constructor({ owner: { pid, host } }: FleetRecord) {
    super(
      `The fleet is process ${pid} on ${host}, which cannot be seen from here. Kill it there, or end it with: baton stop`,
    );
  }
}

const shown = ({ job, agent, project }: Slot) => ({ job, agent, project });

/** Its record goes when it has ended what it ran. */
function isThere(state: FleetState, { id, owner }: FleetRecord): boolean {
  return liveness(owner) !== "dead" && fleetsIn(state).some((fleet) => fleet.id === id);
}

/** The fleet that runs a project. Refuses where none does, with those that run others. */
export function fleetToAsk(
  state: FleetState | undefined,
  project: Project,
): { state: FleetState; fleet: FleetRecord } {
  const fleet = state && fleetOf(state, project.root);
  if (!state || !fleet) throw noFleet(state, project);
  return { state, fleet };
}

function noFleet(state: FleetState | undefined, { root }: Project): UsageError {
  const others = state ? fleetsIn(state) : [];
  if (others.length === 0) return new UsageError("No fleet is running for this project.");
  const lines = others.map(({ owner, projects }) => `  process ${owner.pid}: ${projects.join(", ")}`);
  return new UsageError(
    `No fleet runs ${root}. These run:\n${lines.join("\n")}\nName a project of the one that you mean: -C <folder>`,
  );
}
