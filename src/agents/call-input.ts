import { isDeep, isFields } from "../util/json.ts";
import type { AgentEvent, LineRange, ToolAction } from "./events.ts";

/** How the tools of a program are read. */
interface Reading {
  actionOf(name: string, input: unknown): ToolAction;
  aboutOf(input: unknown): string;
}

/** A call as an event of the main thread. */
export function startOfCall(
  id: string,
  name: string,
  input: unknown,
  { actionOf, aboutOf }: Reading,
): Extract<AgentEvent, { type: "tool:start" }> {
  // Whoever walks through it, to redact it say, calls itself once a level.
  const given = isDeep(input) ? {} : input;
  return {
    type: "tool:start",
    id,
    name,
    does: actionOf(name, given),
    about: aboutOf(given),
    input: given,
  };
}

/** What tells a person most of a call. `keys`: those of its input that do, best first. */
export function tellingPart(input: unknown, keys: readonly string[]): string {
  if (typeof input !== "object" || input === null) return "";
  const telling = keys.map((key) => textField(input, key)).find((value) => value?.trim());
  if (telling !== undefined) return telling;
  const json = JSON.stringify(input);
  return json === "{}" ? "" : json;
}

export function textField(input: unknown, key: string): string | undefined {
  const value = isFields(input) ? input[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** By `offset` and `limit`. Undefined where the whole file is read. */
export function linesIn(input: unknown): LineRange | undefined {
  const [offset, limit] = [lineNumber(input, "offset"), lineNumber(input, "limit")];
  if (offset === undefined && limit === undefined) return undefined;
  const from = Math.max(1, offset ?? 1);
  return limit === undefined ? { from } : { from, to: from + Math.max(1, limit) - 1 };
}

function lineNumber(input: unknown, key: string): number | undefined {
  const value = isFields(input) ? input[key] : undefined;
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}
