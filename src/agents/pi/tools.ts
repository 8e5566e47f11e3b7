import { isFields } from "../../util/json.ts";
import { linesIn, startOfCall, tellingPart, textField } from "../call-input.ts";
import type { AgentEvent, Made, TextChange, ToolAction } from "../events.ts";
import type { ToolResult } from "./records.ts";
import { textOf } from "./records.ts";

/** What pi itself brings along. Extensions may bring others. */
export const PI_TOOLS = ["read", "bash", "powershell", "edit", "write", "grep", "find", "ls"];

const OWN = "baton_";

/** The name that pi gives a tool of Baton's own. */
export const ownToolName = (name: string): string => OWN + name;

/** The name of a tool of Baton's own, by that which pi gives it. */
export const plainToolName = (name: string): string => (name.startsWith(OWN) ? name.slice(OWN.length) : name);

const TELLING = ["command", "path", "pattern", "url", "query", "description", "prompt"];

export function toolStart(
  id: string,
  name: string,
  input: unknown,
): Extract<AgentEvent, { type: "tool:start" }> {
  return startOfCall(id, name, input, {
    actionOf: toolAction,
    aboutOf: (given) => tellingPart(given, TELLING),
  });
}

const OTHER: ToolAction = { kind: "other" };

/** What a call does. One whose input is not what the tool takes does nothing that is known. */
function toolAction(name: string, input: unknown): ToolAction {
  if (name.startsWith(OWN)) return { kind: "own" };
  const path = textField(input, "path");
  switch (name) {
    case "bash":
    case "powershell": {
      const command = textField(input, "command");
      return command === undefined ? OTHER : { kind: "command", command };
    }
    case "read": {
      const lines = linesIn(input);
      return path === undefined ? OTHER : { kind: "read", path, ...(lines && { lines }) };
    }
    case "write":
    case "edit": {
      const changes = changesIn(input);
      return path === undefined ? OTHER : { kind: "write", path, ...(changes.length > 0 && { changes }) };
    }
    case "grep":
    case "find": {
      const pattern = textField(input, "pattern");
      return pattern === undefined ? OTHER : { kind: "search", pattern, ...(path !== undefined && { path }) };
    }
    default:
      return OTHER;
  }
}

/** One for each edit of a call, or the whole of what it writes. */
function changesIn(input: unknown): TextChange[] {
  const content = textField(input, "content");
  if (content !== undefined) return [{ added: content }];
  const edits: unknown = isFields(input) ? input.edits : undefined;
  return (Array.isArray(edits) ? edits : []).flatMap((edit): TextChange[] => {
    const [removed, added] = [textField(edit, "oldText"), textField(edit, "newText")];
    return added === undefined ? [] : [{ ...(removed !== undefined && { removed }), added }];
  });
}

export function toolEnd(
  id: string,
  result: ToolResult,
  isError: boolean,
): Extract<AgentEvent, { type: "tool:end" }> {
  const output = textOf(result.content).trimEnd();
  const ok = !isError;
  return { type: "tool:end", id, ok, output, ...howEnded(ok, output), ...madeBy(result) };
}

/** By what Baton's extension saw: pi itself does not tell a new file from one that was there. */
function madeBy({ details }: ToolResult): { made?: Made } {
  return isFields(details) && details.created === true ? { made: { kind: "file" } } : {};
}

/** What an interrupted turn leaves as the result of the call that was running. It is told in words only. */
function howEnded(ok: boolean, output: string): { interrupted?: true } {
  return !ok && /(?:^|\n)(?:Command|Operation) aborted$/.test(output) ? { interrupted: true } : {};
}
