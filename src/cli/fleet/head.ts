import type { FleetView } from "../../app/fleet/view.ts";
import { shortPath } from "../../display/path.ts";
import { oneLine, type Paint, printable } from "../../display/style.ts";
import { age, counted } from "../../util/figures.ts";
import { clock } from "../../util/hours.ts";
import { localMinute } from "../../util/time.ts";

export const NOT_RUNNING_WORDS = "The fleet is not running: nothing will start. Start it with: baton start";

/** The fleet of a project in one line, and what keeps it from its work in others. */
export function fleetHead(fleet: FleetView, paint: Paint, now: Date): string {
  const limits = (fleet.limits ?? []).map((limit) => paint("yellow", limitLine(limit, now)));
  const { configurationProblem } = fleet;
  const problem = configurationProblem ? [paint("red", problemLines(configurationProblem, now))] : [];
  const chats = (fleet.chats ?? []).map(({ service, state, problem: why = "" }) =>
    state === "failed"
      ? paint("red", `${service} does not work: ${printable(why)}`)
      : `${state === "connected" ? "Connected" : "Connecting"} to ${service}.`,
  );
  const work = (fleet.work ?? []).map((standing) => workLine(standing, paint, now));
  return [
    stateLine(fleet, paint, now),
    ...heldBackLines(fleet, paint),
    ...problem,
    ...limits,
    ...chats,
    ...work,
  ].join("\n");
}

/** What people keep from starting. */
export function heldBackLines({ halted, paused = [] }: FleetView, paint: Paint): string[] {
  const since = (at: string) => localMinute(new Date(at));
  const lines = paused.map(({ agent, since: at }) =>
    agent === null
      ? `The queue has been paused since ${since(at)}: nothing starts from it until baton queue resume.`
      : `${oneLine(agent)} has been paused since ${since(at)}: none of its jobs start until baton queue resume ${oneLine(agent)}.`,
  );
  const halt = halted
    ? [
        paint(
          "red",
          `All work has been halted since ${since(halted.since)}, by ${oneLine(halted.by)}: nothing starts until baton unhalt.`,
        ),
      ]
    : [];
  return [...halt, ...lines.map((line) => paint("yellow", line))];
}

type ConfigurationProblem = NonNullable<FleetView["configurationProblem"]>;

function problemLines({ problem, since }: ConfigurationProblem, now: Date): string {
  const lasts = age(now.getTime() - Date.parse(since));
  return `The current configuration has not been usable for ${lasts}: the fleet keeps the one that it read before.\n${printable(problem)}`;
}

/** How a tracker stands, in one line. */
function workLine(
  { source, ready, taken, polledAt, budget, problem }: NonNullable<FleetView["work"]>[number],
  paint: Paint,
  now: Date,
): string {
  if (problem) {
    const lasts = age(now.getTime() - Date.parse(problem.since));
    return paint("yellow", `${oneLine(source)} has not answered for ${lasts}: ${oneLine(problem.why)}`);
  }
  const asked = polledAt === undefined ? "" : `, asked ${age(now.getTime() - Date.parse(polledAt))} ago`;
  const left = budget?.remaining == null ? "" : `, ${budget.remaining} requests left`;
  return `${oneLine(source)}: ${counted(ready, "item")} ready, ${taken} taken${asked}${left}`;
}

export function limitLine({ account, until }: { account: string; until: string }, now: Date): string {
  const at = new Date(until);
  return `${oneLine(account)} is at its usage limit, which resets at ${clock(at)}, in ${age(at.getTime() - now.getTime())}: none of its jobs start until then.`;
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
  const lasts =
    since === undefined || state === "draining" ? "" : ` for ${age(now.getTime() - Date.parse(since))}`;
  // It may run other projects, too, whose jobs have slots of the same.
  const taken = slots && slots.taken > running.length ? slots.taken : undefined;
  const places = slots && taken === undefined ? ` of ${slots.total} running` : " running";
  const all = slots && taken !== undefined ? ` here, ${taken} of ${slots.total} slots taken` : "";
  const what = state === "draining" ? "The fleet is draining" : "The fleet runs";
  return `${what}${lasts} (process ${pid}${others}): ${running.length}${places}${all}${waits}.`;
}
