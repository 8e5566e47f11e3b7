import { fleetOfProject } from "../../app/fleet/view.ts";
import { deletedDocuments } from "../../app/handoffs/list.ts";
import { logOf } from "../../app/jobs/background/log.ts";
import { childrenIn, jobView, waitingMessages } from "../../app/jobs/list.ts";
import { shownJob } from "../../app/jobs/replay.ts";
import { findProject } from "../../app/project.ts";
import { conflictOf } from "../../app/work/conflicts.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { howToAllow, nextStep } from "../../display/job-end.ts";
import { jobReport } from "../../display/job-report.ts";
import { rendered } from "../../display/markdown/render.ts";
import { messageWords } from "../../display/messages.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, paintFor, printable } from "../../display/style.ts";

export interface ShowOptions {
  config?: string;
  json?: boolean;
  /** Only why it is what it is. */
  why?: boolean;
}

export async function show(id: string | undefined, options: ShowOptions): Promise<number> {
  if (options.why) return await (await import("./why.ts")).why(id, options);
  const project = findProject(options);
  const { job, usual, bill } = await shownJob(project, id);
  const messages = (await waitingMessages(project)).get(job.id);
  const children = await childrenIn(project, job);
  const log = logOf(job);
  const fleet = job.status === "queued" ? await fleetOfProject(project) : undefined;
  const conflict = job.workItem ? await conflictOf(project, job.id) : undefined;
  const queued = fleet?.queue.find((each) => each.job === job.id);
  if (options.json) {
    printJson({
      ...jobView(job, usual),
      ...(bill && { handoffEstimate: bill }),
      ...(children.length > 0 && { children }),
      ...(messages && { messages }),
      ...(queued && { queued }),
      ...(conflict && { conflict: { why: conflict.why, since: conflict.since } }),
      ...(log !== undefined && { log }),
    });
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const width = screenWidth(process.stdout);
  const deleted = await deletedDocuments(job);
  const report = jobReport(job, paint, {
    deleted,
    usual,
    bill,
    log,
    width,
    children,
    conflict,
    now: new Date(),
  });
  const parts = [report, `\n${paint("dim", "request")}\n${folded(printable(job.prompt), width)}`];
  if (job.result) parts.push(`\n${paint("dim", "result")}\n${rendered(job.result, paint, width)}`);
  if (messages) {
    const lines = messages.map(messageWords);
    parts.push(`\n${paint("dim", "not heard yet")}\n${lines.join("\n")}`);
  }
  if (queued)
    parts.push(`\n${paint("yellow", `waits at place ${queued.position}: ${oneLine(queued.reason.text)}`)}`);
  const allow = howToAllow(job);
  if (allow) parts.push(`\n${folded(allow, width)}`);
  const next = fleet && fleet.state !== "not running" ? undefined : nextStep(job);
  if (next) parts.push(`\n${next}`);
  print(parts.join("\n"));
  return 0;
}
