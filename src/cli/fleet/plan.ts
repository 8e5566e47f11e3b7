import { type Expected, planOf } from "../../app/fleet/plan.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, paintFor } from "../../display/style.ts";
import { longDate } from "../../display/when.ts";
import { shortId } from "../../display/words.ts";
import { clock, counted, money } from "../../util/figures.ts";
import { EXIT } from "../exit.ts";
import { fleetHead } from "./head.ts";

/** What the next 24 hours bring. */
export async function plan(options: { config?: string; json?: boolean }): Promise<number> {
  const now = new Date();
  const found = await planOf(findProject(options), now);
  if (options.json) {
    printJson(found);
    return EXIT.completed;
  }
  const { fleet, fires, expected, expectedCostUsd, isCut } = found;
  const lines = [fleetHead(fleet, paintFor(process.stdout, process.env), now)];
  if (fleet.queue.length > 0) {
    lines.push("", "Queued now:");
    for (const { job, agent, reason } of fleet.queue) {
      lines.push(`  ${shortId(job)}  ${oneLine(agent)}  ${oneLine(reason.text)}${usually(expected[agent])}`);
    }
  }
  if (fires.length === 0) lines.push("", "No schedule runs in the next 24 hours.");
  else {
    lines.push("", "In the next 24 hours:");
    for (const { at, agent, schedule, expected: one } of fires) {
      lines.push(`  ${longDate(at)}  ${oneLine(agent)} ${oneLine(schedule)}${usually(one)}`);
    }
  }
  if (isCut) lines.push("  … and more");
  if (expectedCostUsd !== undefined)
    lines.push("", `Expected cost of all of it: ${money(expectedCostUsd)}, by the medians of past jobs.`);
  else if (fires.length + fleet.queue.length > 0)
    lines.push("", "What it costs cannot be told yet: some of these agents have completed no job.");
  print(lines.join("\n"));
  return EXIT.completed;
}

function usually(one: Expected | undefined): string {
  return one
    ? `  (usually ${clock(one.durationMs)}, ${money(one.costUsd)}, of ${counted(one.jobs, "job")})`
    : "";
}
