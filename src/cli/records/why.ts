import { findProject } from "../../app/project.ts";
import { type ToldEvent, whyOf, whyView } from "../../app/records/why.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { nextStep } from "../../display/job-end.ts";
import { statusOf } from "../../display/job-report.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { type Paint, paintFor, printable } from "../../display/style.ts";
import { longDate } from "../../display/when.ts";
import { statusInWords } from "../../display/words.ts";
import type { ShowOptions } from "./show.ts";

/** Why a job is what it is, with the events behind that. */
export async function why(id: string | undefined, options: ShowOptions): Promise<number> {
  const project = findProject(options);
  const found = await whyOf(project, id);
  if (options.json) {
    printJson(whyView(found));
    return 0;
  }
  const { job, because, fleet, events } = found;
  const paint = paintFor(process.stdout, process.env);
  const width = screenWidth(process.stdout);
  print(`${paint("bold", job.id)} is ${statusOf(job, statusInWords(job), paint)}.`);
  if (because !== undefined) print(folded(because, width));
  print("");
  for (const event of events) print(folded(eventLine(event, paint), width, HANG));
  const next = fleet && fleet.state !== "not running" ? undefined : nextStep(job);
  if (next) printWords(`\n${next}`);
  return 0;
}

const HANG = 2;
const LONGEST = 600;

/** With its number, by which it is found in `baton logs --json`. */
function eventLine({ seq, at, told }: ToldEvent, paint: Paint): string {
  const time = `${longDate(at)}:${at.slice(17, 19)}`;
  const text = printable(told.text).trim();
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
  return `${paint("dim", time)}  ${printable(told.title)}${shown === "" ? "" : `: ${shown}`}  ${paint("dim", `(event ${seq})`)}`;
}
