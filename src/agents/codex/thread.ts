import type { PermissionMode } from "../../config/config.ts";
import { codex as abilities } from "../../config/runtimes/codex.ts";
import { isFields } from "../../util/json.ts";
import type { SessionSpec } from "../agent.ts";
import type { OfferedTool } from "../process/own-tool-calls.ts";
import type { Fields } from "./connection.ts";

/** Who asks a person decides by what the program asks for; who does not is told no. */
const PERMISSIONS: Partial<Record<PermissionMode, { approvalPolicy: string; sandbox: string }>> = {
  default: { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  acceptEdits: { approvalPolicy: "on-request", sandbox: "workspace-write" },
  dontAsk: { approvalPolicy: "never", sandbox: "workspace-write" },
  plan: { approvalPolicy: "never", sandbox: "read-only" },
  bypassPermissions: { approvalPolicy: "never", sandbox: "danger-full-access" },
};

/** A person who is asked may be away: seconds. */
export const HOOK_LIMIT_S = 7 * 24 * 60 * 60;
/** Far beyond every window. */
const NEVER = 1_000_000_000_000;

/** What a thread is begun or resumed with. `gate`: the command that waits before the model is asked. */
export function threadParams(spec: SessionSpec, gate: string, tools: readonly OfferedTool[]): Fields {
  const mode = spec.permissionMode as PermissionMode | undefined;
  const both = {
    cwd: spec.cwd,
    ...(spec.model !== undefined && { model: spec.model }),
    ...(mode !== undefined && PERMISSIONS[mode]),
    config: config(spec, gate),
  };
  // What it was told when it began, and its tools, are in a thread for good.
  if (spec.resume) return { ...both, threadId: spec.sessionId, excludeTurns: true };
  return {
    ...both,
    ...(spec.systemPrompt !== undefined && { developerInstructions: spec.systemPrompt }),
    dynamicTools: tools.map(({ parameters, ...tool }) => ({
      type: "function",
      ...tool,
      inputSchema: parameters,
    })),
    experimentalRawEvents: true,
  };
}

function config({ cwd, autoCompact, readsRepository, mcpServers }: SessionSpec, gate: string): Fields {
  const waits = [{ hooks: [{ type: "command", command: gate, timeout: HOOK_LIMIT_S }] }];
  return {
    // Baton's own hook is all that this lets through: those of a repository are not read unless the user trusts them.
    bypass_hook_trust: true,
    hooks: { PreModelRequest: waits, ...(!autoCompact && { PreCompact: waits }) },
    // It cannot be turned off. At the end of the window Baton is asked.
    ...(!autoCompact && {
      model_auto_compact_token_limit: NEVER,
      model_auto_compact_token_limit_scope: "body_after_prefix",
    }),
    // Their windows and what they cost would not be told.
    features: { multi_agent: false, multi_agent_v2: false },
    projects: { [cwd]: { trust_level: readsRepository ? "trusted" : "untrusted" } },
    ...(readsRepository
      ? { project_doc_fallback_filenames: abilities.instructions.slice(1) }
      : { project_doc_max_bytes: 0 }),
    ...(Object.keys(mcpServers).length > 0 && { mcp_servers: servers(mcpServers) }),
  };
}

function servers(given: Record<string, unknown>): Fields {
  return Object.fromEntries(Object.entries(given).map(([name, server]) => [name, serverOf(server)]));
}

function serverOf(server: unknown): Fields {
  const { command, args, env, url, headers, timeout } = isFields(server) ? server : {};
  const limit = typeof timeout === "number" ? { tool_timeout_sec: Math.ceil(timeout / 1000) } : {};
  if (url !== undefined) return { url, ...(headers !== undefined && { http_headers: headers }), ...limit };
  return { command, ...(args !== undefined && { args }), ...(env !== undefined && { env }), ...limit };
}
