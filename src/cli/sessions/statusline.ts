import { handoffInWords, type StatusInput, statusOf } from "../../app/sessions/statusline.ts";
import { print } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { inputText } from "../input.ts";

const CELLS = 10;

/** One line for Claude Code's status line, from what it tells and what is on record of the session. */
export async function statusline(): Promise<number> {
  const { told, session } = await statusOf(inputText());
  print(oneLine(statusLine(told, session)));
  return 0;
}

export function statusLine(
  { model, percent: live, window }: StatusInput,
  session: Pick<OwnSession, "figure" | "handoff" | "parent" | "pane"> | undefined,
): string {
  const figure = session?.figure;
  const percent = live ?? figure?.percent;
  const left = figure?.turnsLeft;
  const parts = [
    model ?? "",
    percent === undefined ? "no answer yet" : `${bar(percent)} ${Math.floor(percent)} %${ofWindow(window)}`,
    left === undefined ? "" : `${left === 1 ? "1 turn" : `${left} turns`} left`,
    handoffPart(session),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function bar(percent: number): string {
  const full = Math.max(0, Math.min(CELLS, Math.floor((percent / 100) * CELLS)));
  return "█".repeat(full) + "░".repeat(CELLS - full);
}

function ofWindow(window: number | undefined): string {
  if (window === undefined) return "";
  return window >= 1_000_000 ? ` of ${window / 1_000_000}M` : ` of ${Math.round(window / 1_000)}k`;
}

function handoffPart(session: Pick<OwnSession, "handoff" | "parent" | "pane"> | undefined): string {
  if (session?.handoff) return `handoff ${handoffInWords(session)}`;
  return session?.parent ? "continues from a handoff" : "";
}
