import { type StatusInput, statusOf } from "../../app/sessions/statusline.ts";
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
  session: Pick<OwnSession, "figure" | "handoff" | "parent"> | undefined,
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
  const full = Math.max(0, Math.min(CELLS, Math.round((percent / 100) * CELLS)));
  return "█".repeat(full) + "░".repeat(CELLS - full);
}

function ofWindow(window: number | undefined): string {
  if (window === undefined) return "";
  return window >= 1_000_000 ? ` of ${window / 1_000_000}M` : ` of ${Math.round(window / 1_000)}k`;
}

function handoffPart(session: Pick<OwnSession, "handoff" | "parent"> | undefined): string {
  const { handoff, parent } = session ?? {};
  if (!handoff) return parent ? "continues from a handoff" : "";
  switch (handoff.state) {
    case "asked":
      return `handoff ${handoff.number}: asked for`;
    case "stored":
      return `handoff ${handoff.number}: stored`;
    case "clearing":
      return `handoff ${handoff.number}: being passed on`;
    case "taken-up":
      return `handoff ${handoff.number}: another session continues`;
    case "pending":
      return `handoff ${handoff.number}: waits for you`;
    case "failed":
      return `handoff ${handoff.number}: failed${handoff.reason ? `, ${handoff.reason}` : ""}`;
  }
}
