import type { SessionSpec } from "../../agent.ts";
import { OWN_SERVER } from "../../process/own-tools-server.ts";
import { HOOKS } from "../connection.ts";
import { WITHOUT_REPOSITORY } from "../environment.ts";
import { allowedRules } from "../tools.ts";

/** Where Baton listens for what the program asks. */
export interface Address {
  hooks: string;
  ownTools: string;
  headers: Record<string, string>;
}

/** A person may be asked, who may be away: seconds. */
export const HOOK_LIMIT_S = 7 * 24 * 60 * 60;

/**
 * The command line of a session: documented options of `claude` alone. What may hold secrets, or words that are nobody else's
 * matter, goes through `put`, which returns the path of a file that holds it.
 */
export function commandLine(spec: SessionSpec, address: Address, put: (text: string) => string): string[] {
  const allowed = allowedRules(spec);
  const { settingSources } = WITHOUT_REPOSITORY.options;
  return [
    "--print",
    ...["--input-format", "stream-json"],
    ...["--output-format", "stream-json"],
    "--verbose",
    "--include-partial-messages",
    ...[spec.resume ? "--resume" : "--session-id", spec.sessionId],
    ...["--settings", put(JSON.stringify(settings(spec, address)))],
    ...["--mcp-config", put(JSON.stringify({ mcpServers: servers(spec, address) }))],
    ...(spec.readsRepository ? [] : [`--setting-sources=${settingSources.join(",")}`, "--strict-mcp-config"]),
    ...(spec.model === undefined ? [] : [`--model=${spec.model}`]),
    ...(spec.systemPrompt === undefined ? [] : ["--append-system-prompt-file", put(spec.systemPrompt)]),
    ...(allowed.length > 0 ? [`--allowedTools=${allowed.join(",")}`] : []),
    ...(spec.deniedTools.length > 0 ? [`--disallowedTools=${spec.deniedTools.join(",")}`] : []),
    ...(spec.permissionMode === undefined ? [] : [`--permission-mode=${spec.permissionMode}`]),
    ...(spec.permissionMode === "bypassPermissions" ? ["--allow-dangerously-skip-permissions"] : []),
    // A hook asks the person, where there is one.
    "--permission-prompts=none",
    ...(spec.maxTurns === undefined ? [] : [`--max-turns=${spec.maxTurns}`]),
  ];
}

function settings({ autoCompact }: SessionSpec, { hooks: url, headers }: Address): unknown {
  const asks = [{ hooks: [{ type: "http", url, headers, timeout: HOOK_LIMIT_S }] }];
  // The first of them comes before any work, and so shows whether this program asks at all.
  const events = ["UserPromptSubmit", ...HOOKS];
  return { autoCompactEnabled: autoCompact, hooks: Object.fromEntries(events.map((event) => [event, asks])) };
}

/** Always in the prompt: a tool that turned up later would cost the whole prompt cache. */
function servers({ mcpServers, ownTools }: SessionSpec, { ownTools: url, headers }: Address): unknown {
  const own = { type: "http", url, headers, alwaysLoad: true };
  return { ...mcpServers, ...(ownTools.names.length > 0 && { [OWN_SERVER]: own }) };
}

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/** Variables by which the program reaches Baton directly, where it would ask a proxy for it. */
export function pastProxy(env: Record<string, string>): Record<string, string> {
  if (!PROXIES.some((name) => env[name])) return {};
  const direct = [env.NO_PROXY || env.no_proxy, "127.0.0.1"].filter(Boolean).join(",");
  return { NO_PROXY: direct, no_proxy: direct };
}
