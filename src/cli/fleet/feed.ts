import { type FeedItem, feed as feedOf } from "../../app/records/feed.ts";
import { toned } from "../../display/event-line.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { fitted, widthOf } from "../../display/width.ts";
import { shortId } from "../../display/words.ts";
import { EXIT } from "../exit.ts";
import { namesOf, projectsIn, type SeveralOptions } from "./several.ts";

export interface FeedOptions extends SeveralOptions {
  json?: boolean;
  limit: number;
  since?: Date;
  problems?: boolean;
  follow?: boolean;
}

/** What happened in all jobs, one line each. */
export async function feed(options: FeedOptions): Promise<number> {
  const { limit, since, problems = false, follow = false } = options;
  const paint = paintFor(process.stdout, process.env);
  const projects = await projectsIn(options);
  const names = projects.length > 1 ? namesOf(projects) : undefined;
  const items = feedOf(projects, { limit, problems, follow, ...(since && { since }) });
  let count = 0;
  for await (const item of items) {
    count++;
    if (options.json) printJson(feedView(item));
    else print(feedLine(item, names?.get(item.project), paint, tableWidth(process.stdout)));
    if (!process.stdout.writable) break;
  }
  if (count === 0 && !options.json) printWords(problems ? "No problems." : "Nothing has happened here yet.");
  return EXIT.completed;
}

/** What `baton feed --json` prints, one to a line: its keys are a promise to users. */
function feedView({ id, project, agent, event, told }: FeedItem) {
  const { at, job, seq, type } = event;
  return { id, at, project, job, seq, agent, type, tone: told.tone, title: told.title, text: told.text };
}

function feedLine(
  { agent, event, told }: FeedItem,
  project: string | undefined,
  paint: Paint,
  width: number,
): string {
  const whose = project === undefined ? "" : `${oneLine(project)}  `;
  const head = `${shortDate(event.at, new Date())}  ${whose}${shortId(event.job)}  ${oneLine(agent)}  `;
  const title = oneLine(told.title);
  const room = Math.max(0, width - widthOf(head) - widthOf(title) - 2);
  const text = room < LEAST ? "" : fitted(oneLine(told.text), room);
  return `${paint("dim", head)}${toned({ ...told, title: fitted(title, width - widthOf(head)), text }, paint)}`;
}

/** Less of a text says nothing. */
const LEAST = 8;
