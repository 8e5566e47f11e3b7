import { fromJson, isFields } from "../../../util/json.ts";
import { skillOf } from "../tools.ts";

/** The hooks of Claude Code that Baton's plugin has. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "PreCompact",
  "SessionEnd",
] as const;

export type HookEventName = (typeof HOOK_EVENTS)[number];

interface Common {
  session: string;
  transcript: string | null;
  cwd: string;
  /** What it may do without asking, in the program's own words. Not every hook is told. */
  permissionMode?: string;
}

/** What Claude Code tells a hook, as far as Baton reads it. `skill`: the tool loaded it. */
export type HookInput = Common &
  (
    | { event: "start"; source: string }
    | { event: "prompt"; prompt: string }
    | { event: "tool"; skill: string | undefined; inSubagent: boolean }
    | { event: "stop"; again: boolean; subagentsRunning: boolean; lastWords: string }
    | { event: "compact"; byHand: boolean }
    | { event: "end"; reason: string }
  );

/** Undefined where it is not what Claude Code sends. */
export function hookInput(name: HookEventName, text: string): HookInput | undefined {
  const given = fromJson(text);
  if (!isFields(given)) return undefined;
  const { session_id: session, transcript_path: transcript, cwd, permission_mode: mode } = given;
  if (typeof session !== "string" || typeof cwd !== "string") return undefined;
  const common: Common = {
    session,
    transcript: typeof transcript === "string" ? transcript : null,
    cwd,
    ...(typeof mode === "string" && { permissionMode: mode }),
  };
  switch (name) {
    case "SessionStart":
      return { ...common, event: "start", source: textOr(given.source, "startup") };
    case "UserPromptSubmit":
      return { ...common, event: "prompt", prompt: textOr(given.prompt, "") };
    case "PostToolUse":
    case "PostToolUseFailure":
      return {
        ...common,
        event: "tool",
        skill: skillOf(textOr(given.tool_name, ""), given.tool_input),
        inSubagent: typeof given.agent_id === "string",
      };
    case "Stop":
      return {
        ...common,
        event: "stop",
        again: given.stop_hook_active === true,
        subagentsRunning: hasSubagents(given.background_tasks),
        lastWords: textOr(given.last_assistant_message, ""),
      };
    case "PreCompact":
      return { ...common, event: "compact", byHand: given.trigger === "manual" };
    case "SessionEnd":
      return { ...common, event: "end", reason: textOr(given.reason, "other") };
  }
}

export function isHookEvent(name: string | undefined): name is HookEventName {
  return HOOK_EVENTS.some((event) => event === name);
}

/** A server in the background can run for days; a subagent comes back with what it found. */
function hasSubagents(tasks: unknown): boolean {
  return Array.isArray(tasks) && tasks.some((task) => isFields(task) && task.type === "subagent");
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
