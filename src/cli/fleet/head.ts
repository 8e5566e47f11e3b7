import type { FleetView } from "../../app/fleet/view.ts";
import { shortPath } from "../../display/path.ts";
import { oneLine, type Paint, printable } from "../../display/style.ts";
import { age, counted } from "../../util/figures.ts";
import { clock } from "../../util/hours.ts";

export const NOT_RUNNING_WORDS = "The fleet is not running: nothing will start. Start it with: baton start";

/** The fleet of a project in one line, and what keeps it from its work in others. */
export function fleetHead(fleet: FleetView, paint: Paint, now: Date): string {
  const limits = (fleet.limits ?? []).map((limit) => paint("yellow", limitLine(limit, now)));
  const { configurationProblem } = fleet;
  const problem = configurationProblem ? [paint("red", problemLines(configurationProblem, now))] : [];
  return [stateLine(fleet, paint, now), ...problem, ...limits].join("\n");
}

type ConfigurationProblem = NonNullable<FleetView["configurationProblem"]>;

function problemLines({ problem, since }: ConfigurationProblem, now: Date): string {
  const lasts = age(now.getTime() - Date.parse(since));
  return `The configuration as it is now is not used, for ${lasts}: the fleet goes by what it read before.\n${printable(problem)}`;
}

export function limitLine({ account, until }: { account: string; until: string }, now: Date): string {
  const at = new Date(until);
  return `${oneLine(account)} is at its usage limit, which resets at ${clock(at)}, in ${age(at.getTime() - now.getTime())}: nothing of it starts until then.`;
}

function stateLine(fleet: FleetView, paint: Paint, now: Date): string {
  const { state, pid, since, projects = [], slots, running, queue } = fleet;
  const waits = queue.length === 0 ? "" : `, ${queue.length} queued`;
  if (state === "not running") {
    return paint(
      queue.length > 0 ? "yellow" : "dim",
      `${NOT_RUNNING_WORDS}${queue.length > 0 ? ` (${counted(queue.length, "job")} queued)` : ""}`,
    );
  }
  const others = projects.length > 1 ? `, ${projects.map((each) => shortPath(each)).join(", ")}` : "";
  const lasts = since === undefined ? "" : ` for ${age(now.getTime() - Date.parse(since))}`;
  const places = slots ? ` of ${slots.total}` : "";
  const what = state === "draining" ? "The fleet is draining" : "The fleet runs";
  return `${what}${lasts} (process ${pid}${others}): ${running.length}${places} running${waits}.`;
}
