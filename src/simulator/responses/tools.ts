import type { ToolCall } from "../scenario.ts";

/** A call as it goes over the wire: with arguments, or with a text where the tool takes no others. */
export type WireCall =
  | { type: "function_call"; name: string; arguments: string }
  | { type: "custom_tool_call"; name: string; input: string };

const OWN = "mcp__baton__";

/**
 * Scripts name tools as Claude Code does. A program without them gets the same work in its own tools: commands by
 * `exec_command`, files by `apply_patch`.
 */
export function scriptNames(offered: readonly string[]): string[] {
  const names = offered.flatMap((name) => {
    if (name === "exec_command") return ["Bash", "Read"];
    if (name === "apply_patch") return ["Write", "Edit"];
    return [OWN + name];
  });
  return [...offered, ...names];
}

export function wireCall({ tool, input }: ToolCall, offered: readonly string[]): WireCall {
  if (offered.includes(tool)) return literal(tool, input);
  const text = (key: string) => String(input[key] ?? "");
  switch (tool) {
    case "Bash":
      return literal("exec_command", { cmd: text("command") });
    case "Read":
      return literal("exec_command", { cmd: `cat '${text("file_path").replaceAll("'", "'\\''")}'` });
    case "Write":
      return patch(`*** Add File: ${text("file_path")}`, marked("+", text("content")));
    case "Edit":
      return patch(
        `*** Update File: ${text("file_path")}`,
        "@@",
        marked("-", text("old_string")),
        marked("+", text("new_string")),
      );
    default:
      return literal(tool.startsWith(OWN) ? tool.slice(OWN.length) : tool, input);
  }
}

function literal(name: string, input: ToolCall["input"]): WireCall {
  if (name === "apply_patch") return { type: "custom_tool_call", name, input: String(input.patch ?? "") };
  return { type: "function_call", name, arguments: JSON.stringify(input) };
}

function patch(...lines: string[]): WireCall {
  const input = ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
  return { type: "custom_tool_call", name: "apply_patch", input };
}

function marked(sign: string, text: string): string {
  return text
    .split("\n")
    .map((line) => sign + line)
    .join("\n");
}
