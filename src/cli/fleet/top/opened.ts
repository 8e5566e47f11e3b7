import type { TopView } from "../../../app/fleet/top.ts";
import { folded } from "../../../display/fold.ts";
import { jobReport } from "../../../display/job-report.ts";
import { oneLine, type Paint, printable } from "../../../display/style.ts";
import type { OpenAsk } from "../../../job/asks/asks.ts";
import type { Job } from "../../../job/job.ts";
import { counted } from "../../../util/figures.ts";

/** A job whole: what it asks comes first. */
export function openedLines(job: Job, view: TopView, columns: number, paint: Paint): string[] {
  const text = [
    ...(job.asks ?? []).map((ask) => `${askedLines(ask, columns, paint)}\n`),
    jobReport(job, paint, { width: columns, now: view.at }),
    `\n${paint("dim", "request")}\n${folded(printable(job.prompt), columns)}`,
    ...(job.result ? [`\n${paint("dim", "result")}\n${folded(printable(job.result), columns)}`] : []),
  ];
  return text.join("\n").split("\n");
}

/** The whole call, as the answer is about it. */
function askedLines(
  { ask, name, input, cut, why, questions }: OpenAsk,
  columns: number,
  paint: Paint,
): string {
  const title = questions ? "asks you" : `needs your yes: ${oneLine(name)}`;
  const lines = [
    ...printable(input).split("\n"),
    ...(cut === undefined ? [] : [`… ${counted(cut, "more character")} that cannot be shown here`]),
    ...(why === undefined ? [] : [oneLine(why)]),
  ];
  const shown = lines.map((line) => folded(`  | ${line}`, columns, ASK_HANG));
  return [paint("yellow", `${title} (${ask})`), ...shown].join("\n");
}

const ASK_HANG = 4;
