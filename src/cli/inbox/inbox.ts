import { type InboxRow, inboxOf, takeOutOfInbox } from "../../app/inbox/inbox.ts";
import { findProject } from "../../app/project.ts";

import { folded, screenWidth } from "../../display/fold.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor, printable } from "../../display/style.ts";
import { shortDate } from "../../display/when.ts";
import { durationInWords } from "../../display/words.ts";
import { counted } from "../../util/figures.ts";

export interface InboxOptions {
  config?: string;
  json?: boolean;
}

/** All that waits for the user. */
export async function inbox(options: InboxOptions): Promise<number> {
  const rows = await inboxOf(findProject(options));
  if (options.json) {
    for (const row of rows) printJson(row);
    return 0;
  }
  if (rows.length === 0) printWords("Nothing needs you.");
  const paint = paintFor(process.stdout, process.env);
  const width = screenWidth(process.stdout);
  for (const [index, row] of rows.entries()) {
    if (index > 0) print("");
    for (const line of linesOf(row, paint, new Date())) print(folded(line, width, HANG));
  }
  return 0;
}

/** Takes a row away until it changes. */
export async function inboxDone(id: string, options: InboxOptions): Promise<number> {
  const rows = await takeOutOfInbox(findProject(options), id);
  for (const row of rows) {
    if (options.json) printJson(row);
    else
      printWords(
        `Out of the inbox until it changes: ${SIGNS[row.kind]}, ${oneLine(row.title)}${row.jobs.length > 1 ? ` (${counted(row.jobs.length, "job")})` : ""}`,
      );
  }
  return 0;
}

const HANG = 6;

const SIGNS: Record<InboxRow["kind"], string> = {
  approval: "needs your yes",
  question: "asks you",
  stall: "may be stuck",
  circles: "may go in circles",
  work: "item changed",
  configuration: "broken configuration",
  paused: "paused",
  failed: "failed",
  schedule: "missed",
  review: "ready for review",
  denied: "denied again and again",
};

const COSTS: Record<InboxRow["costs"], string> = {
  slot: "it holds a slot while it waits",
  work: "its work has stopped until then",
  nothing: "",
};

/** How much of an input is shown before `--json` has to be asked for the rest. */
const MOST_LINES = 40;

function linesOf(row: InboxRow, paint: Paint, now: Date): string[] {
  const { kind, id, title, agent, jobs, since, costs, ask, actions } = row;
  const waited = durationInWords(Math.max(0, now.getTime() - Date.parse(since)));
  const about = [
    `since ${shortDate(since, now)} (${waited})`,
    ...(agent === undefined ? [] : [oneLine(agent)]),
    ...(jobs.length > 1 ? [counted(jobs.length, "job")] : jobs),
    ...(COSTS[costs] ? [COSTS[costs]] : []),
  ];
  const widest = Math.max(...actions.map(({ command }) => command.length));
  return [
    `${paint("yellow", SIGNS[kind])}  ${paint("bold", oneLine(title))}`,
    paint("dim", `  ${oneLine(id)}: ${about.join(", ")}`),
    ...(ask ? askLines(ask) : whyLines(row, now)),
    ...actions.map(
      ({ does, command }) => `    ${oneLine(command).padEnd(widest)}  ${paint("dim", oneLine(does))}`,
    ),
  ];
}

/** Several are told with their times, in their order. One that only says the title again is left out. */
function whyLines({ why, title }: InboxRow, now: Date): string[] {
  if (why.length > 1) return why.map(({ at, text }) => `  ${shortDate(at, now)}  ${oneLine(text)}`);
  return why.filter(({ text }) => oneLine(text) !== oneLine(title)).map(({ text }) => `  ${oneLine(text)}`);
}

function askLines({ input, cut, why, questions, calls = [] }: NonNullable<InboxRow["ask"]>): string[] {
  if (questions) {
    return questions.flatMap(({ question, options, several }, index) => [
      ...(index > 0 ? [`  ${oneLine(question)}`] : []),
      ...options.map(({ label, description }, at) => {
        const more = description === undefined ? "" : `: ${oneLine(description)}`;
        return `    ${at + 1}  ${oneLine(label)}${more}`;
      }),
      ...(several ? ["    more than one can be chosen"] : []),
    ]);
  }
  const lines = printable(input).split("\n");
  const hidden = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).map((line) => `  | ${line}`),
    ...(hidden > 0 ? [`  … ${counted(hidden, "more line")}: baton inbox --json`] : []),
    ...(cut === undefined ? [] : [`  … ${counted(cut, "more character")} that cannot be shown here`]),
    ...(why === undefined ? [] : [`  ${oneLine(why)}`]),
    ...(calls.length > 0 ? [`  the agent also wants: ${calls.map(oneLine).join("; ")}`] : []),
  ];
}
