import type { AgentConfig, PermissionMode } from "../config.ts";
import type { MaximumsLayer } from "../keys/maximums.ts";

/** From the least that an agent may do without asking to the most. */
const RANK: Record<PermissionMode, number> = {
  plan: 0,
  default: 1,
  dontAsk: 1,
  acceptEdits: 2,
  auto: 3,
  bypassPermissions: 4,
};

/** An agent within what the user allows at most, whatever its project says. */
export function withinMaximums(agent: AgentConfig, maximums: MaximumsLayer): AgentConfig {
  const { permission_mode: mode, denied_tools: denied = [], limits = {}, hooks = {} } = maximums;
  const permissionMode = mode === undefined ? agent.permissionMode : leastOf(mode, agent.permissionMode);
  return {
    ...agent,
    ...(permissionMode !== undefined && { permissionMode }),
    deniedTools: [...new Set([...agent.deniedTools, ...denied])],
    limits: {
      ...agent.limits,
      ...atMost("costUsd", agent.limits.costUsd, limits.cost_usd),
      ...atMost("durationMs", agent.limits.durationMs, limits.duration),
      ...atMost("turns", agent.limits.turns, limits.turns),
    },
    hooks: {
      beforeRun: [...(hooks.before_run ?? []), ...agent.hooks.beforeRun],
      afterRun: [...(hooks.after_run ?? []), ...agent.hooks.afterRun],
      onError: [...(hooks.on_error ?? []), ...agent.hooks.onError],
      onSessionStart: [...(hooks.on_session_start ?? []), ...agent.hooks.onSessionStart],
      onContextThreshold: [...(hooks.on_context_threshold ?? []), ...agent.hooks.onContextThreshold],
      onHandoff: [...(hooks.on_handoff ?? []), ...agent.hooks.onHandoff],
    },
  };
}

/** Where no mode is set, the program's own setting counts, which may allow more. So it is told one. */
function leastOf(most: PermissionMode, wanted: PermissionMode = "default"): PermissionMode {
  return RANK[wanted] > RANK[most] ? most : wanted;
}

function atMost<K extends string>(key: K, wanted: number | undefined, most: number | undefined) {
  return most === undefined ? {} : { [key]: Math.min(wanted ?? most, most) };
}
