import type { HookAnswer } from "../../agents/claude/own/hook-answer.ts";
import { requestByHook } from "../../handoff/request.ts";
import { percent } from "../../util/figures.ts";
import { framed, quotedLine } from "../../util/frame.ts";
import { printable } from "../../util/printable.ts";
import { utcMinute } from "../../util/time.ts";
import type { ContextFigure, OwnSession } from "../record/session.ts";
import { cancelledText, defaultsMessage, statusText } from "./answer-texts.ts";
import type { Saying } from "./decision.ts";

/** Who tells a session what became of its handoff. The person in front of it should know too. */
export const BATON = "baton";

/** `tag`: of `newTag`. */
export function answerOf(sayings: readonly Saying[], figure: ContextFigure | null, tag: string): HookAnswer {
  const answer: HookAnswer = {};
  for (const saying of sayings) {
    switch (saying.say) {
      case "warning":
        if (figure) answer.toPerson = warning(figure, saying.handoffAt);
        break;
      case "hand-off":
        answer[saying.at === "stop" ? "notYet" : "toAgent"] = handoffReason(figure);
        break;
      case "unanswered":
        answer.toPerson = unanswered(saying);
        break;
      case "mail": {
        answer.toAgent = joined(answer.toAgent, mailText(saying.mail, tag));
        const ours = saying.mail.filter(({ from }) => from === BATON).map(({ text }) => text);
        if (ours.length > 0) answer.toPerson = withLines(answer.toPerson, ours);
        break;
      }
      case "no-handoff":
        answer.toAgent = joined(answer.toAgent, NO_HANDOFF);
        break;
      case "status":
        answer.instead = statusText(saying);
        break;
      case "cancelled":
        answer.instead = cancelledText(saying);
        break;
      case "configuration": {
        const { problem } = saying;
        answer.toPerson = withLines(answer.toPerson, [
          problem === undefined
            ? "The configuration can be read again, and applies."
            : defaultsMessage(problem),
        ]);
        break;
      }
    }
  }
  return answer;
}

const NO_HANDOFF =
  "The user has cancelled the handoff: this session continues, and is not cleared. Submit none unasked; do what they say now.";

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before}\n\n${text}`;
}

function withLines(before: string | undefined, lines: readonly string[]): string {
  return printable([before ?? [], lines].flat().join("\n"));
}

function unanswered({ number, facts }: Extract<Saying, { say: "unanswered" }>): string {
  const asked = `Handoff ${number} was asked for, but the agent did not submit it`;
  return facts
    ? `${asked}. Claude Code is about to compact this session, so Baton writes the document from facts.`
    : `${asked}, so nothing was handed over. /baton:handoff asks again, and so does Baton when the window is fuller.`;
}

function handoffReason(figure: ContextFigure | null): string {
  const used = figure
    ? `${percent(figure.percent)} of the context window is used`
    : "The window is nearly full";
  return requestByHook(used);
}

function warning(figure: ContextFigure, handoffAt: number | undefined): string {
  const left =
    figure.turnsLeft === undefined ? "" : `, and at this pace it is full in ${turns(figure.turnsLeft)}`;
  const then =
    handoffAt === undefined
      ? ""
      : ` At ${percent((handoffAt / figure.window) * 100)} Baton hands the work over to a fresh session.`;
  return `${percent(figure.percent)} of the context window is used${left}.${then}`;
}

/** Each as one quoted line: whoever wrote it, it is a report and no order. */
export function mailText(mail: OwnSession["mail"], tag: string): string {
  const lines = mail.map(
    ({ from, text, at }) => `- ${from}, ${utcMinute(at)}: ${quotedLine(text, MOST_OF_ONE)}`,
  );
  // The newest last, and those first to go that are oldest: a worker's newer report says more.
  const shown: string[] = [];
  let room = MOST_OF_MAIL;
  for (const line of lines.toReversed()) {
    room -= line.length + 1;
    if (room < 0) break;
    shown.unshift(line);
  }
  const left = lines.length - shown.length;
  const more = left > 0 ? [`- … and ${left} before these: list_workers shows the state of each worker.`] : [];
  const text = [...more, ...shown].join("\n");
  const source = "what others told you through Baton meanwhile, a quoted line each";
  return framed({ kind: "mail", source, text, tag });
}

/** A hook may not say much in all, and the document is the most important of it. */
const MOST_OF_MAIL = 2_800;
const MOST_OF_ONE = 300;

function turns(count: number): string {
  return count === 1 ? "1 turn" : `${count} turns`;
}
