import { kindOfTool, madeBy } from "./claude/tools.ts";
import type { AgentEvent, ToolAction, ToolKind } from "./events.ts";

/** What a tool call on record does. Earlier versions recorded its name alone, and ran Claude Code only. */
export function recordedKind({ name, does }: { name: string; does?: ToolKind }): ToolKind {
  return does ?? kindOfTool(name);
}

/** A tool call that is on record with its end. */
export interface RecordedCall {
  id: string;
  name: string;
  does: ToolKind;
  /** One line, cut where it is long: it then ends with `…`. */
  summary: string;
  ok: boolean;
  output: string;
}

/** Its start, as an event of the main thread, where no transcript has it. */
export function recordedStart({ id, name, does, summary }: RecordedCall): AgentEvent {
  return { type: "tool:start", id, name, does: actionOf(does, summary), about: summary, input: {} };
}

/** Its end, where no transcript has it. */
export function recordedEnd({ id, ok, output }: RecordedCall): AgentEvent {
  return { type: "tool:end", id, ok, output, ...madeBy(output) };
}

/** A path or a pattern that was cut is none. */
function actionOf(kind: ToolKind, summary: string): ToolAction {
  const isWhole = summary !== "" && !summary.endsWith("…");
  if (kind === "command") return { kind, command: summary };
  if ((kind === "read" || kind === "write") && isWhole) return { kind, path: summary };
  if (kind === "search" && isWhole) return { kind, pattern: summary };
  return { kind: kind === "own" ? "own" : "other" };
}
