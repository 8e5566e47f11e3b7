import { z } from "zod";
import type { ToolCall } from "../scenario.ts";

/** A tool on offer: its name, and the names of what it takes. */
export interface OfferedTool {
  name: string;
  takes: readonly string[];
}

export const offeredTool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: z.string(),
      parameters: z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }).optional(),
    })
    .optional(),
});

export function offeredTools(tools: readonly z.infer<typeof offeredTool>[]): OfferedTool[] {
  return tools.flatMap((one) =>
    one.function === undefined
      ? []
      : [{ name: one.function.name, takes: Object.keys(one.function.parameters?.properties ?? {}) }],
  );
}

const OWN = "mcp__baton__";
const SCRIPTED = ["Bash", "Read", "Write", "Edit"];

/** What programs call the same thing, each with a name of its own. */
const SPELLINGS: Record<string, readonly string[]> = {
  file_path: ["path", "filePath"],
  old_string: ["oldText", "oldString"],
  new_string: ["newText", "newString"],
};

/**
 * Scripts name tools as Claude Code does. Programs that talk this way have the same ones by other names, which their schemas
 * tell: `bash`, `read`, `write` and `edit`, and tools of Baton's plain or behind a prefix.
 */
export function scriptNames(offered: readonly OfferedTool[]): string[] {
  const names = offered.flatMap(({ name }) => {
    const scripted = SCRIPTED.find((one) => one.toLowerCase() === name);
    return scripted ? [scripted] : [OWN + name.replace(/^baton_/, "")];
  });
  return [...offered.map(({ name }) => name), ...names];
}

export function wireCall({ tool, input }: ToolCall, offered: readonly OfferedTool[]): ToolCall {
  const wanted = tool.startsWith(OWN) ? tool.slice(OWN.length) : tool.toLowerCase();
  const found =
    offered.find(({ name }) => name === tool) ??
    offered.find(({ name }) => name === wanted || name === `baton_${wanted}`);
  if (!found) return { tool: wanted, input };
  if (found.name === tool || !SCRIPTED.some((one) => one === tool)) return { tool: found.name, input };
  const { takes } = found;
  if (!takes.includes("edits")) return { tool: found.name, input: spelled(input, takes) };
  const { old_string: oldText, new_string: newText, ...rest } = input;
  return { tool: found.name, input: { ...spelled(rest, takes), edits: [{ oldText, newText }] } };
}

/** What the tool does not take is left out. */
export function spelled(input: ToolCall["input"], takes: readonly string[]): ToolCall["input"] {
  return Object.fromEntries(
    Object.entries(input).flatMap(([key, value]) => {
      const name = [key, ...(SPELLINGS[key] ?? [])].find((one) => takes.includes(one));
      return name === undefined ? [] : [[name, value]];
    }),
  );
}
