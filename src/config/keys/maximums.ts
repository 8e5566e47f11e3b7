import { key, section, type ValueOf } from "../reader/reader.ts";
import { agentKeys } from "./agent.ts";

const { permission_mode, denied_tools, limits, hooks } = agentKeys;

/** In the user's own file alone. */
export const maximums = section(
  {
    permission_mode: key(
      permission_mode,
      "no agent may do more without asking: `plan`, then `default` and `dontAsk`, `acceptEdits`, `auto`, `bypassPermissions`",
    ),
    denied_tools: key(denied_tools, "tools that no agent has"),
    limits: key(limits, "what no job may exceed"),
    hooks: key(hooks, "hooks that run in every job, before those of the project"),
  },
  "{ permission_mode: acceptEdits }",
);

export type MaximumsLayer = ValueOf<typeof maximums>;
