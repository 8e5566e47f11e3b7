import { type MessageView, messagesFor, type ToldMessage, toldIn } from "../../../app/jobs/messages.ts";
import { namedOrNewest } from "../../../app/jobs/which.ts";
import { findProject, openStoreOfJobs } from "../../../app/project.ts";
import { messageWords } from "../../../display/messages.ts";
import { printJson, printWords } from "../../../display/print.ts";
import { oneLine } from "../../../display/style.ts";
import { longDate } from "../../../display/when.ts";
import { fitted } from "../../../display/width.ts";

export interface MessagesOptions {
  config?: string;
  json?: boolean;
}

const SHOWN = 80;

/** What was sent to agents: of all jobs what waits, of one also what it got. */
export async function messages(named: string | undefined, options: MessagesOptions): Promise<number> {
  await using store = await openStoreOfJobs(findProject(options));
  const job = named === undefined ? undefined : (await namedOrNewest(store, named)).id;
  const told = job === undefined ? [] : await toldIn(store, job);
  const waiting = await messagesFor(store, job);
  if (options.json) {
    printJson(job === undefined ? { waiting } : { told, waiting });
    return 0;
  }
  if (told.length + waiting.length === 0)
    printWords(job ? `${job} was sent no messages.` : "No messages are waiting.");
  for (const message of told) printWords(toldInWords(message));
  for (const message of waiting) printWords(waitingInWords(message, job));
  return 0;
}

function toldInWords({ id, text, toldAt, deliveredAt }: ToldMessage): string {
  const when =
    deliveredAt === null
      ? `told at ${longDate(toldAt)}, not answered yet`
      : `got it at ${longDate(deliveredAt)}`;
  return `${id}, ${when}: ${fitted(oneLine(text), SHOWN)}`;
}

function waitingInWords({ id, job, at, text }: MessageView, only: string | undefined): string {
  const words = messageWords({ id, at, text: fitted(oneLine(text), SHOWN) });
  return only === undefined ? `${job}  ${words}` : words;
}
