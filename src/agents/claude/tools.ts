import { isFields } from "../../util/json.ts";
import type { SessionSpec } from "../agent.ts";
import { linesIn, startOfCall, tellingPart, textField } from "../call-input.ts";
import type { AgentEvent, Made, TextChange, ToolAction, ToolKind } from "../events.ts";
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
  return startOfCall(id, name, input, { actionOf: toolAction, aboutOf: aboutCall });
}

const OTHER: ToolAction = { kind: "other" };

/** What a call does. One whose input is not what the tool takes does nothing that is known. */
export function toolAction(name: string, input: unknown): ToolAction {
  const kind = kindOfTool(name);
  switch (kind) {
    case "command": {
      const command = textField(input, "command");
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
      const pattern = textField(input, "pattern");
      const path = textField(input, "path");
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
  return textField(input, "file_path") ?? textField(input, "notebook_path");
}

/** One for each edit of a call, or the whole of what it writes. */
function changesIn(input: unknown): TextChange[] {
  const edits: unknown = isFields(input) ? input.edits : undefined;
  return (Array.isArray(edits) ? edits : [input]).flatMap((edit): TextChange[] => {
    const removed = textField(edit, "old_string");
    const added =
      textField(edit, "new_string") ?? textField(edit, "content") ?? textField(edit, "new_source");
    return added === undefined ? [] : [{ ...(removed !== undefined && { removed }), added }];
  });
}

function todoAction(name: string, input: unknown): ToolAction {
  if (name === "TodoWrite") return { kind: "todo", change: "list", todos: listed(input) };
  if (name === "TaskCreate") {
    const text = textField(input, "subject") ?? textField(input, "description");
    return text === undefined ? OTHER : { kind: "todo", change: "add", text };
  }
  const id = textField(input, "taskId");
  if (id === undefined) return OTHER;
  const text = textField(input, "subject");
  const status = textField(input, "status");
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
    text: textField(todo, "content") ?? "",
    status: textField(todo, "status") ?? "pending",
  }));
}

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
  return tellingPart(input, TELLING);
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
  return name === "Skill" ? (textField(input, "skill") ?? textField(input, "command")) : undefined;
}
