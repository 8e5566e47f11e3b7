import { fleetOfProject, type QueuedView } from "../../app/fleet/view.ts";
import { findProject } from "../../app/project.ts";
import { standing, type ToldEvent, whyOf } from "../../app/records/why.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { nextStep } from "../../display/job-end.ts";
import { statusOf } from "../../display/job-report.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor, printable } from "../../display/style.ts";
import { longDate } from "../../display/when.ts";
import { statusInWords } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";
import type { ShowOptions } from "./show.ts";

/** Why a job is what it is, with the events behind that. */
export async function why(id: string | undefined, options: ShowOptions): Promise<number> {
  const project = findProject(options);
  const { job, events } = await whyOf(project, id);
  const fleet = job.status === "queued" ? await fleetOfProject(project) : undefined;
  const queued = fleet?.queue.find((each) => each.job === job.id);
  if (options.json) {
    printJson(whyView(job, events, queued));
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const width = screenWidth(process.stdout);
  const words = sentence(job, queued);
  print(`${paint("bold", job.id)} is ${statusOf(job, statusInWords(job), paint)}.`);
  if (words !== undefined) print(folded(words, width));
  print("");
  for (const event of events) print(folded(eventLine(event, paint), width, HANG));
  const next = fleet && fleet.state !== "not running" ? undefined : nextStep(job);
  if (next) print(`\n${next}`);
  return 0;
}

/** What `baton show <job> --why --json` prints: its keys are a promise to users. */
function whyView(job: Job, events: readonly ToldEvent[], queued: QueuedView | undefined) {
  const because = sentence(job, queued);
  return {
    id: job.id,
    status: job.status,
    ...(job.pauseCode !== null && { pauseCode: job.pauseCode }),
    ...(because !== undefined && { because }),
    ...(queued && { queued }),
    events: events.map(({ seq, at, type, told: { title, text } }) => ({ seq, at, type, title, text })),
  };
}

function sentence(job: Job, queued: QueuedView | undefined): string | undefined {
  if (!queued) return standing(job, (at) => longDate(new Date(at).toISOString()));
  return `It waits at place ${queued.position}: ${oneLine(queued.reason.text)}.`;
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
