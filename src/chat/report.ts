import { howEnded, peakOfSession } from "../display/job-report.ts";
import { oneLine, type Paint } from "../display/style.ts";
import { todoLines, todoSummary } from "../display/todos.ts";
import { agentInWords, costInPassing, outcomeInWords, windowInWords } from "../display/words.ts";
import type { Job } from "../job/job.ts";
import { counted } from "../util/figures.ts";

/** How the chat stands. */
export function statusReport(job: Job, paint: Paint): string {
  const session = job.sessions.at(-1);
  if (!session) return "Nothing has been said yet.";
  const { context } = job;
  const window = context ? windowInWords(context) : "not used yet";
  const from = handoffTo(job, session.id);
  const lines: [string, string][] = [
    ["job", job.id],
    ["agent", [agentInWords(job), session.model].filter(Boolean).join(", ")],
    ["session", `${session.ordinal}, ${session.id}`],
    ...(from
      ? ([["parent", `${from.fromSession}, by handoff ${from.number}`]] satisfies [string, string][])
      : []),
    ["window", window],
    ...(job.todos ? ([["todos", todoSummary(job.todos)]] satisfies [string, string][]) : []),
    ["used", `${counted(job.turns, "turn")}, ${costInPassing(job)}`],
  ];
  return lines.map(([label, text]) => `  ${paint("dim", label.padEnd(9))}${oneLine(text)}`).join("\n");
}

/** What the agent has to do. */
export function todosReport({ todos = [] }: Job, paint: Paint): string {
  if (todos.length === 0) return "The agent has no todos.";
  return todoLines(todos, paint)
    .map((line) => `  ${line}`)
    .join("\n");
}

/** The sessions of the chat, each with the one that it goes on from. */
export function sessionsReport(job: Job, paint: Paint): string {
  if (job.sessions.length === 0) return "Nothing has been said yet.";
  return job.sessions
    .flatMap((session) => {
      const parent = job.sessions.find(({ id }) => id === handoffTo(job, session.id)?.fromSession);
      const how = [
        counted(session.turns, "turn"),
        peakOfSession(session),
        ...(parent ? [`continues from session ${parent.ordinal}`] : []),
        howEnded(job, session, "open"),
      ]
        .filter(Boolean)
        .join(", ");
      const handoffs = job.handoffs
        .filter(({ fromSession }) => fromSession === session.id)
        .map(({ number, outcome, documentPath }) => {
          return `    ${paint("magenta", `⇄ handoff ${number}`)} ${oneLine(documentPath)} ${paint("dim", outcomeInWords(outcome))}`;
        });
      return [`  session ${session.ordinal}  ${session.id}  ${paint("dim", how)}`, ...handoffs];
    })
    .join("\n");
}

function handoffTo(job: Job, session: string) {
  return job.handoffs.find(({ toSession }) => toSession === session);
}
