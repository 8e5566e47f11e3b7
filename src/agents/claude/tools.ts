import { isDeep } from "../../util/json.ts";
import type { AgentEvent, LineRange, Made, SessionSpec, TextChange, ToolAction, ToolKind } from "../agent.ts";
import { OWN_SERVER } from "../process/own-tools-server.ts";

/** The name that the program gives a tool of Baton's own. */
const ownToolName = (name: string): string => `${OWN_TOOLS}${name}`;

const OWN_TOOLS = `mcp__${OWN_SERVER}__`;

/** All that a session may do without a question. */
export function allowedRules({ allowedTools, ownTools, readable = [] }: SessionSpec): string[] {
  // A path from the root begins with two slashes in a rule.
  const folders = readable.map((folder) => `Read(/${folder}/**)`);
  return [...allowedTools, ...ownTools.names.map(ownToolName), ...folders];
}

const KINDS = new Map<string, ToolKind>([
  ["Bash", "command"],
  ["Read", "read"],
  ["Write", "write"],
  ["Edit", "write"],
  ["MultiEdit", "write"],
  ["NotebookEdit", "write"],
  ["Grep", "search"],
  ["Glob", "search"],
  ["TodoWrite", "todo"],
  ["TaskCreate", "todo"],
  ["TaskUpdate", "todo"],
]);

export function kindOfTool(name: string): ToolKind {
  return KINDS.get(name) ?? (name.startsWith(OWN_TOOLS) ? "own" : "other");
}

/** A call as an event of the main thread. */
export function toolStart(
  id: string,
  name: string,
  input: unknown,
): Extract<AgentEvent, { type: "tool:start" }> {
  // Whoever walks through it, to redact it say, calls itself once a level.
  const given = isDeep(input) ? {} : input;
  return {
    type: "tool:start",
    id,
    name,
    does: toolAction(name, given),
    about: aboutCall(given),
    input: given,
  };
}

const OTHER: ToolAction = { kind: "other" };

/** What a call does. One whose input is not what the tool takes does nothing that is known. */
export function toolAction(name: string, input: unknown): ToolAction {
  const kind = kindOfTool(name);
  switch (kind) {
    case "command": {
      const command = field(input, "command");
      return command === undefined ? OTHER : { kind, command };
    }
    case "read": {
      const path = pathIn(input);
      const lines = linesIn(input);
      return path === undefined ? OTHER : { kind, path, ...(lines && { lines }) };
    }
    case "write": {
      const path = pathIn(input);
      const changes = changesIn(input);
      return path === undefined ? OTHER : { kind, path, ...(changes.length > 0 && { changes }) };
    }
    case "search": {
      const pattern = field(input, "pattern");
      const path = field(input, "path");
      return pattern === undefined ? OTHER : { kind, pattern, ...(path !== undefined && { path }) };
    }
    case "todo":
      return todoAction(name, input);
    case "own":
    case "other":
      return { kind };
  }
}

function pathIn(input: unknown): string | undefined {
  return field(input, "file_path") ?? field(input, "notebook_path");
}

/** Undefined where the whole file is read. */
function linesIn(input: unknown): LineRange | undefined {
  const [offset, limit] = [lineNumber(input, "offset"), lineNumber(input, "limit")];
  if (offset === undefined && limit === undefined) return undefined;
  const from = Math.max(1, offset ?? 1);
  return limit === undefined ? { from } : { from, to: from + Math.max(1, limit) - 1 };
}

function lineNumber(input: unknown, key: string): number | undefined {
  const value = isFields(input) ? input[key] : undefined;
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** One for each edit of a call, or the whole of what it writes. */
function changesIn(input: unknown): TextChange[] {
  const edits: unknown = isFields(input) ? input.edits : undefined;
  return (Array.isArray(edits) ? edits : [input]).flatMap((edit): TextChange[] => {
    const removed = field(edit, "old_string");
    const added = field(edit, "new_string") ?? field(edit, "content") ?? field(edit, "new_source");
    return added === undefined ? [] : [{ ...(removed !== undefined && { removed }), added }];
  });
}

function todoAction(name: string, input: unknown): ToolAction {
  if (name === "TodoWrite") return { kind: "todo", change: "list", todos: listed(input) };
  if (name === "TaskCreate") {
    const text = field(input, "subject") ?? field(input, "description");
    return text === undefined ? OTHER : { kind: "todo", change: "add", text };
  }
  const id = field(input, "taskId");
  if (id === undefined) return OTHER;
  const text = field(input, "subject");
  const status = field(input, "status");
  if (status === "deleted") return { kind: "todo", change: "remove", id };
  return {
    kind: "todo",
    change: "update",
    id,
    ...(text !== undefined && { text }),
    ...(status !== undefined && { status }),
  };
}

function listed(input: unknown): { text: string; status: string }[] {
  const todos: unknown = isFields(input) ? input.todos : undefined;
  if (!Array.isArray(todos)) return [];
  return todos.map((todo) => ({
    text: field(todo, "content") ?? "",
    status: field(todo, "status") ?? "pending",
  }));
}

/** The keys that say most about a call, best first. */
const TELLING = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "pattern",
  "url",
  "query",
  "description",
  "prompt",
];

/** What tells a person most of a call. */
export function aboutCall(input: unknown): string {
  if (!isFields(input)) return "";
  const telling = TELLING.map((key) => field(input, key)).find((value) => value?.trim());
  if (telling !== undefined) return telling;
  const json = JSON.stringify(input);
  return json === "{}" ? "" : json;
}

/** What the result of a call says was made by it. The program tells it in words only. */
export function madeBy(output: string): { made?: Made } {
  if (output.startsWith("File created")) return { made: { kind: "file" } };
  const [, id] = /^Task #(\w+) created/.exec(output) ?? [];
  return id === undefined ? {} : { made: { kind: "todo", id } };
}

const STOPPED =
  /^(?:The user doesn't want to (?:proceed with this tool use|take this action)|\[Request interrupted)/;

/** What an interrupted turn leaves as the result of the call that was running. It is told in words only. */
export function howEnded(ok: boolean, output: string): { interrupted?: true; refused?: true } {
  if (ok || !STOPPED.test(output)) return {};
  return refusal(output) === undefined ? { interrupted: true } : { interrupted: true, refused: true };
}

const REFUSED =
  /^The user doesn't want to (?:proceed with this tool use|take this action)[^\n]*the user said:\n([\s\S]+)$/;

/** What a person said to do in place of a call that they refused. The program tells it in words only. */
export function refusal(output: string): string | undefined {
  const [, said = ""] = REFUSED.exec(output) ?? [];
  return said.trim() === "" ? undefined : said;
}

/** The skill that a call loads. */
export function skillOf(name: string, input: unknown): string | undefined {
  return name === "Skill" ? (field(input, "skill") ?? field(input, "command")) : undefined;
}

function field(input: unknown, key: string): string | undefined {
  const value = isFields(input) ? input[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
