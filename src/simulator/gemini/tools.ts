import { type OfferedTool, spelled } from "../chat/tools.ts";
import type { ToolCall } from "../scenario.ts";

const OWN = "mcp__baton__";
const NAMES: Record<string, string> = {
  Bash: "run_shell_command",
  Read: "read_file",
  Write: "write_file",
  Edit: "replace",
};

/** Scripts name tools as Claude Code does. Gemini CLI has the same ones by other names, and Baton's behind that of their server. */
export function scriptNames(offered: readonly OfferedTool[]): string[] {
  const names = offered.flatMap(({ name }) => {
    if (OF_BATON.test(name)) return [OWN + name.replace(OF_BATON, "")];
    return Object.keys(NAMES).filter((scripted) => NAMES[scripted] === name);
  });
  return [...offered.map(({ name }) => name), ...names];
}

const OF_BATON = /^(?:mcp_+)?baton_+/;

export function wireCall({ tool, input }: ToolCall, offered: readonly OfferedTool[]): ToolCall {
  if (offered.some(({ name }) => name === tool)) return { tool, input };
  const theirs = NAMES[tool];
  if (theirs === undefined) {
    const own = tool.startsWith(OWN) ? tool.slice(OWN.length) : tool;
    const found = offered.find(({ name }) => name.replace(OF_BATON, "") === own);
    return { tool: found?.name ?? own, input };
  }
  const takes = offered.find(({ name }) => name === theirs)?.takes ?? [];
  const purpose = takes.includes("instruction") ? { instruction: "Change it as told." } : {};
  return { tool: theirs, input: { ...purpose, ...spelled(input, takes) } };
}
