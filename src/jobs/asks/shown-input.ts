import { createHash } from "node:crypto";
import type { TextChange } from "../../agents/events.ts";
import type { PermissionQuestion } from "../../agents/permission.ts";
import { canonicalJson } from "../../trust/canonical-json.ts";
import { isFields } from "../../util/json.ts";

/** Longer ones are cut where people see them: the answer holds for the whole all the same. */
const LONGEST = 32_768;

/** By what a call is known again: of its tool and all of its input, whatever the order of its keys. */
export function digestOf({ name, input }: Pick<PermissionQuestion, "name" | "input">): string {
  const text = canonicalJson(JSON.stringify([name, input ?? null])) ?? "";
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** The input of a call field by field, as people read it: what an edit takes out and puts in, as a diff has it. */
export function shownInput({ input, does }: Pick<PermissionQuestion, "input" | "does">): {
  input: string;
  cut?: number;
} {
  const changes = does?.kind === "write" ? (does.changes ?? []) : [];
  const text = isFields(input) ? linesOf(input, changes).join("\n") : JSON.stringify(input ?? null, null, 2);
  if (text.length <= LONGEST) return { input: text };
  return { input: text.slice(0, LONGEST), cut: text.length - LONGEST };
}

function linesOf(fields: Record<string, unknown>, changes: readonly TextChange[]): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (typeof value !== "string") return [`${key}: ${JSON.stringify(value, null, 2)}`];
    const isTakenOut = changes.some(({ removed }) => removed === value);
    const isPutIn = changes.some(({ added }) => added === value);
    const sign = isTakenOut ? "-" : isPutIn ? "+" : undefined;
    if (sign && value !== "") return value.split("\n").map((line) => `${sign} ${line}`);
    if (!value.includes("\n")) return [`${key}: ${value}`];
    return [`${key}:`, ...value.split("\n").map((line) => `  ${line}`)];
  });
}
