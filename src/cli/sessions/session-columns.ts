import { handoffInWords, isKept, type KnownSession } from "../../app/sessions/status.ts";
import { shortPath } from "../../display/path.ts";
import { oneLine, type Paint } from "../../display/style.ts";
import type { Column } from "../../display/table.ts";
import { todoCount } from "../../display/todos.ts";
import { age, counted, percent, tokens } from "../../util/figures.ts";

/** What no session has gets no column: their titles need the room. */
export function sessionColumns(sessions: readonly KnownSession[], paint: Paint): Column<KnownSession>[] {
  const columns: Column<KnownSession>[] = [
    { title: "SESSION", text: ({ id }) => id.slice(0, 8) },
    { title: "KIND", text: kindOf, spare: 4 },
    { title: "STATE", text: ({ state }) => state },
    { title: "AGE", text: ageOf, align: "right", spare: 2 },
    { title: "CONTEXT", text: contextOf, align: "right" },
    { title: "LEFT", text: leftOf, align: "right", spare: 6 },
    {
      title: "HANDOFF",
      text: handoffInWords,
      paint: (session, text) => handoffPainted(session, text, paint),
    },
    { title: "TODO", text: ({ todos }) => todoCount(todos), spare: 3 },
    { title: "PANE", text: paneOf, spare: 5 },
    { title: "PROJECT", text: ({ project }) => shortPath(project), spare: 1 },
    { title: "TITLE", text: titleOf, paint: (_session, text) => paint("dim", text) },
  ];
  return columns.filter(({ text }) => sessions.some((session) => text(session) !== ""));
}

export function kindOf({ kind, role }: KnownSession): string {
  return role === "single" ? kind : `${kind}, ${role}`;
}

export function ageOf({ startedAt }: KnownSession): string {
  return age(Date.now() - Date.parse(startedAt));
}

export function paneOf({ pane, paneName }: KnownSession): string {
  return paneName ?? pane?.id ?? "";
}

function titleOf({ title, prompt }: KnownSession): string {
  return oneLine(title ?? prompt ?? "");
}

/** What is not exact says so: `~45k (23%)`. */
export function contextOf({ figure }: KnownSession): string {
  if (!figure) return "";
  const { window, pending = 0 } = figure;
  const used = figure.tokens + pending;
  const sign = figure.source === "estimate" || pending > 0 ? "~" : "";
  return `${sign}${tokens(used)} (${percent((used / window) * 100)})`;
}

export function leftOf({ figure }: KnownSession): string {
  return figure?.turnsLeft === undefined ? "" : counted(figure.turnsLeft, "turn");
}

function handoffPainted({ handoff }: KnownSession, text: string, paint: Paint): string {
  const isForAPerson = (handoff?.state === "pending" && !isKept(handoff)) || handoff?.state === "failed";
  return isForAPerson ? paint("yellow", text) : text;
}
