import type { PermissionMode } from "./config.ts";
import type { AgentLayer } from "./keys/agent.ts";

/** What the user chose for one job when they started or resumed it. It stands over what any file says. */
export interface Chosen {
  model?: string;
  permissionMode?: PermissionMode;
  maxCostUsd?: number;
  worktree?: true;
}

/** That a job costs no more than this, where less is not configured. Undefined: nobody says how much. */
export function costWithin(most: number | undefined, { costUsd }: { costUsd?: number }): Chosen {
  return most === undefined || (costUsd !== undefined && costUsd <= most) ? {} : { maxCostUsd: most };
}

/** What the files say of an agent, with the user's choice on top. */
export function withChosen(layer: AgentLayer, chosen: Chosen = {}): AgentLayer {
  const { model, permissionMode, maxCostUsd, worktree } = chosen;
  const { limits, workspace } = layer;
  return {
    ...layer,
    ...(model !== undefined && { model }),
    ...(permissionMode !== undefined && { permission_mode: permissionMode }),
    ...(maxCostUsd !== undefined && { limits: { ...limits, cost_usd: maxCostUsd } }),
    // Whoever wants a worktree has not asked for a push: what leaves the machine is for the configuration to say.
    ...(worktree &&
      workspace?.strategy !== "git_worktree" && {
        workspace: { push_on_success: false, ...workspace, strategy: "git_worktree" as const },
      }),
  };
}
