import { isDeep, isFields } from "../../../util/json.ts";
import { textField } from "../../call-input.ts";
import { aboutCall, toolAction as claudeAction, madeBy } from "../../claude/tools.ts";
import type { AgentEvent, Made, TextChange, ToolAction } from "../../events.ts";
import type { Fields } from "../rpc.ts";

/** A call, as far as the program has told of it: each update holds what is new. */
export interface Call {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  /** Its own name for the tool, where it says it. */
  readonly name?: string;
  /** Set where it is Claude Code that runs, whose tools are known. */
  readonly claudeTool?: string;
  readonly input?: unknown;
  readonly content: readonly Fields[];
  readonly paths: readonly string[];
  readonly status: string;
  readonly rawOutput?: unknown;
  /** What its terminal has shown so far, where that is told piece by piece. */
  readonly shown: string;
  readonly exitCode?: number;
}

export function callAfter(before: Call | undefined, update: Fields): Call {
  const { claudeCode, terminal_exit: exit, terminal_output_delta: delta } = fieldsIn(update._meta);
  const claudeTool = textField(claudeCode, "toolName") ?? before?.claudeTool;
  // Some name the tool first, and then say what it does.
  const named = before ? before.name : WORD.exec(textField(update, "title") ?? "")?.[0];
  const name = textField(update, "name") ?? named;
  const input = isDeep(update.rawInput) ? {} : (update.rawInput ?? before?.input);
  const rawOutput = update.rawOutput ?? before?.rawOutput;
  const exitCode =
    numberIn(exit, "exit_code") ??
    numberIn(fieldsIn(update.rawOutput).metadata, "exit") ??
    numberIn(update.rawOutput, "exit_code") ??
    before?.exitCode;
  return {
    id: textField(update, "toolCallId") ?? before?.id ?? "",
    kind: textField(update, "kind") ?? before?.kind ?? "other",
    title: textField(update, "title") ?? before?.title ?? "",
    status: textField(update, "status") ?? before?.status ?? "pending",
    content: Array.isArray(update.content) ? update.content.filter(isFields) : (before?.content ?? []),
    paths: Array.isArray(update.locations)
      ? update.locations.flatMap((at) => textField(at, "path") ?? [])
      : (before?.paths ?? []),
    shown: (before?.shown ?? "") + (textField(delta, "data") ?? ""),
    ...(name !== undefined && { name }),
    ...(claudeTool !== undefined && { claudeTool }),
    ...(input !== undefined && { input }),
    ...(rawOutput !== undefined && { rawOutput }),
    ...(exitCode !== undefined && { exitCode }),
  };
}

const WORD = /^[A-Za-z][\w-]*$/;

/** Whether enough is known of it to say what it does. Some tell the input a moment after the call. */
export function isKnown({ status, input }: Call): boolean {
  return status !== "pending" || !isFields(input) || Object.keys(input).some((key) => key !== "cwd");
}

export const isOver = ({ status }: Call): boolean => status === "completed" || status === "failed";

export function startOf(
  call: Call,
  ownTools: readonly string[],
): Extract<AgentEvent, { type: "tool:start" }> {
  const { id, title, claudeTool, input = {} } = call;
  const does = actionOf(call, ownTools);
  return {
    type: "tool:start",
    id,
    name: nameOf(call),
    does,
    about: aboutOf(does, input, claudeTool ? "" : title),
    input,
  };
}

/** What the program calls the tool; its kind, where it only has words for what this call does. */
export function nameOf({ claudeTool, name, kind }: Call): string {
  return claudeTool ?? name ?? kind;
}

function aboutOf(does: ToolAction, input: unknown, title: string): string {
  switch (does.kind) {
    case "command":
      return does.command;
    case "read":
    case "write":
      return does.path;
    case "search":
      return does.pattern;
    default:
      return title || aboutCall(input);
  }
}

function actionOf(call: Call, ownTools: readonly string[]): ToolAction {
  const { kind, title, claudeTool, input } = call;
  if (isOwn(call, ownTools)) return { kind: "own" };
  if (claudeTool !== undefined) return claudeAction(claudeTool, input);
  switch (kind) {
    case "execute":
      return { kind: "command", command: commandIn(input) ?? title };
    case "read": {
      const path = pathOf(call);
      return path === undefined ? { kind: "other" } : { kind: "read", path };
    }
    case "edit":
    case "delete":
    case "move": {
      const path = pathOf(call);
      const changes = changesOf(call);
      if (path === undefined) return { kind: "other" };
      return { kind: "write", path, ...(changes.length > 0 && { changes }) };
    }
    case "search": {
      const path = textField(input, "path");
      const pattern = textField(input, "pattern") ?? textField(input, "query") ?? title;
      return { kind: "search", pattern, ...(path !== undefined && { path }) };
    }
    default:
      return { kind: "other" };
  }
}

/** Each program names the tools of a server in its own way, and all with the tool's own name last. */
export function isOwn({ title, name = "", claudeTool = "" }: Call, ownTools: readonly string[]): boolean {
  return ownTools.some((tool) => [title, name, claudeTool].some((called) => endsWithName(called, tool)));
}

function endsWithName(called: string, tool: string): boolean {
  const word = called.replace(/\s*\(.*\)\s*$/s, "").trim();
  return word === tool || (word.endsWith(tool) && /[^A-Za-z0-9]/.test(word.at(-tool.length - 1) ?? ""));
}

function commandIn(input: unknown): string | undefined {
  const command = isFields(input) ? (input.command ?? input.cmd) : undefined;
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return undefined;
  const words = command.map(String);
  // What is given to a shell is the command, not the shell.
  return /^-\w*c$/.test(words.at(-2) ?? "") ? words.at(-1) : words.join(" ");
}

function pathOf({ content, paths, input }: Call): string | undefined {
  const [diff] = content.filter(({ type }) => type === "diff");
  const keys = ["file_path", "filePath", "path", "absolute_path"];
  return textField(diff, "path") ?? paths[0] ?? keys.map((key) => textField(input, key)).find(Boolean);
}

function changesOf({ content }: Call): TextChange[] {
  return content.flatMap(({ type, oldText, newText }): TextChange[] => {
    if (type !== "diff" || typeof newText !== "string") return [];
    return [{ ...(typeof oldText === "string" && oldText !== "" && { removed: oldText }), added: newText }];
  });
}

/** `interrupted`: the turn was ended while it ran. */
export function endOf(call: Call, interrupted: boolean): Extract<AgentEvent, { type: "tool:end" }> {
  const output = withExitCode(outputOf(call), call.exitCode);
  const ok = call.status === "completed" && (call.exitCode ?? 0) === 0;
  return {
    type: "tool:end",
    id: call.id,
    ok,
    output,
    ...(!ok && interrupted && { interrupted: true as const }),
    ...(ok && made(call, output)),
  };
}

/** As programs write it that tell it in words alone: facts are read from them. */
function withExitCode(output: string, code = 0): string {
  return code === 0 || /^Exit code/i.test(output) ? output : `Exit code ${code}\n${output}`;
}

function made(call: Call, output: string): { made?: Made } {
  if (call.claudeTool !== undefined) return madeBy(output);
  const isNew = ({ type, oldText }: Fields) => type === "diff" && (oldText === null || oldText === undefined);
  return call.kind === "edit" && call.content.some(isNew) ? { made: { kind: "file" } } : {};
}

/** What the agent reads of it, as far as the program tells that. */
function outputOf({ rawOutput, content, shown }: Call): string {
  if (typeof rawOutput === "string") return rawOutput;
  if (shown !== "") return shown.trimEnd();
  const keys = ["formatted_output", "aggregated_output", "output", "stdout", "error"];
  const found = keys
    .map((key) => textField(rawOutput, key))
    .find((text) => text !== undefined && text !== "");
  if (found !== undefined) return found;
  return content
    .flatMap((part) => textField(part.content, "text") ?? [])
    .join("\n")
    .replace(/^```\w*\n([\s\S]*?)\n?```$/, "$1");
}

/** How Claude Code says that one of its rules forbids a call: it asks nobody then. */
const DENIED = /^(?:Permission denied: )?Permission to use .{0,2000}? has been denied/s;

export const isDeniedByRule = (output: string): boolean => DENIED.test(output);

export function denialOf(call: Call, message: string): AgentEvent {
  const { id, name, about } = startOf(call, []);
  return { type: "tool:denied", id, name, about, message };
}

/** The call of the subagent that it belongs to. */
export function parentOf(update: Fields): string | undefined {
  return textField(fieldsIn(update._meta).claudeCode, "parentToolUseId");
}

export function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function numberIn(value: unknown, key: string): number | undefined {
  const found = isFields(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}
