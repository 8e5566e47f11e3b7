import type { ToolKind } from "./agent.ts";
import { kindOfTool } from "./claude/tools.ts";

/** What a tool call on record does. Earlier versions recorded its name alone, and ran Claude Code only. */
export function recordedKind({ name, does }: { name: string; does?: ToolKind }): ToolKind {
  return does ?? kindOfTool(name);
}
