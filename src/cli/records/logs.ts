import { logOf } from "../../app/jobs/background/log.ts";
import { eventsOf } from "../../app/jobs/follow.ts";
import { namedOrNewest } from "../../app/jobs/which.ts";
import { findProject, lookIntoStore } from "../../app/project.ts";
import { eventLine } from "../../display/event-line.ts";
import { screenWidth } from "../../display/fold.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import type { JournalEvent } from "../../job/events.ts";

export interface LogsOptions {
  config?: string;
  json?: boolean;
  follow?: boolean;
}

export async function logs(named: string | undefined, options: LogsOptions): Promise<number> {
  await using store = await lookIntoStore(findProject(options));
  const job = await namedOrNewest(store, named);
  const paint = paintFor(process.stdout, process.env);
  for await (const event of eventsOf(store, job.id, { follow: options.follow ?? false })) {
    const line = options.json ? undefined : timedLine(event, paint);
    if (options.json) printJson(event);
    else if (line !== undefined) print(line);
    if (!process.stdout.writable) break;
  }
  const log = options.json ? undefined : logOf(job);
  const { status } = log === undefined ? job : await namedOrNewest(store, job.id);
  // Its journal may not say why.
  if (log !== undefined && (status === "interrupted" || status === "failed"))
    printWords(`What its process printed: ${log}`);
  return 0;
}

function timedLine(event: JournalEvent, paint: Paint): string | undefined {
  const time = new Date(event.at).toTimeString().slice(0, 8);
  const width = screenWidth(process.stdout);
  const text = eventLine(event, paint, width && width - time.length - 1);
  if (text === undefined) return undefined;
  return `${paint("dim", time)} ${text.replaceAll("\n", `\n${" ".repeat(time.length + 1)}`)}`;
}
