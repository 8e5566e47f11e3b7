import { isDeep, isFields } from "../../util/json.ts";
import type { AgentEvent, LineRange, Made, TextChange, ToolAction } from "../agent.ts";
import type { ToolResult } from "./records.ts";
import { textOf } from "./records.ts";

/** What pi itself brings along. Extensions may bring others. */
export const PI_TOOLS = ["read", "bash", "powershell", "edit", "write", "grep", "find", "ls"];

const OWN = "baton_";

/** The name that pi gives a tool of Baton's own. */
export const ownToolName = (name: string): string => OWN + name;

/** The name of a tool of Baton's own, by that which pi gives it. */
export const plainToolName = (name: string): string => (name.startsWith(OWN) ? name.slice(OWN.length) : name);

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
function toolAction(name: string, input: unknown): ToolAction {
  if (name.startsWith(OWN)) return { kind: "own" };
  const path = field(input, "path");
  switch (name) {
    case "bash":
    case "powershell": {
      const command = field(input, "command");
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
      const pattern = field(input, "pattern");
      return pattern === undefined ? OTHER : { kind: "search", pattern, ...(path !== undefined && { path }) };
    }
    default:
      return OTHER;
  }
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
  const content = field(input, "content");
  if (content !== undefined) return [{ added: content }];
  const edits: unknown = isFields(input) ? input.edits : undefined;
  return (Array.isArray(edits) ? edits : []).flatMap((edit): TextChange[] => {
    const [removed, added] = [field(edit, "oldText"), field(edit, "newText")];
    return added === undefined ? [] : [{ ...(removed !== undefined && { removed }), added }];
  });
}

/** The keys that say most about a call, best first. */
const TELLING = ["command", "path", "pattern", "url", "query", "description", "prompt"];

function aboutCall(input: unknown): string {
  if (!isFields(input)) return "";
  const telling = TELLING.map((key) => field(input, key)).find((value) => value?.trim());
  if (telling !== undefined) return telling;
  const json = JSON.stringify(input);
  return json === "{}" ? "" : json;
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

function field(input: unknown, key: string): string | undefined {
  const value = isFields(input) ? input[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
