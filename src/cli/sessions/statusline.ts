import { handoffInWords, type StatusInput, statusOf } from "../../app/sessions/statusline.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { percent } from "../../util/figures.ts";
import { inputText } from "../input.ts";

const CELLS = 10;

/** One line for Claude Code's status line, from what it tells and what is on record of the session. */
export async function statusline({ json }: { json?: boolean }): Promise<number> {
  const { told, session, needYou } = await statusOf(inputText());
  const line = oneLine(statusLine(told, session, needYou));
  if (json) printJson({ line, ...statusView(told, session), ...(needYou > 0 && { needYou }) });
  else print(line);
  return 0;
}

/** The figures of the line, for programs. What is not known is left out. */
function statusView({ model, percent, window, session: id }: StatusInput, session: OwnSession | undefined) {
  const { figure, handoff } = session ?? {};
  const used = percent ?? figure?.percent;
  return {
    ...(id !== undefined && { session: id }),
    ...(model !== undefined && { model }),
    ...(used !== undefined && { percent: Math.floor(used) }),
    ...(window !== undefined && { contextWindow: window }),
    ...(figure?.turnsLeft !== undefined && { turnsLeft: figure.turnsLeft }),
    ...(handoff && { handoff: { number: handoff.number, state: handoff.state } }),
  };
}

export function statusLine(
  { model, percent: live, window }: StatusInput,
  session: Pick<OwnSession, "figure" | "handoff" | "parent" | "pane"> | undefined,
  needYou = 0,
): string {
  const figure = session?.figure;
  const used = live ?? figure?.percent;
  const left = figure?.turnsLeft;
  const parts = [
    model ?? "",
    used === undefined ? "no figure yet" : `${bar(used)} ${percent(used)}${ofWindow(window)}`,
    left === undefined ? "" : `${left === 1 ? "1 turn" : `${left} turns`} left`,
    handoffPart(session),
    needYou === 0 ? "" : `${needYou} ${needYou === 1 ? "needs" : "need"} you`,
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
