import { PERMISSION_MODES } from "../config.ts";
import type { Abilities } from "./abilities.ts";

export const claude: Abilities = {
  drives: "Claude Code, through the Agent SDK that comes with Baton",
  boundary: "exact",
  ownTools: true,
  usage: "each response",
  cost: "told",
  resume: true,
  mintedId: true,
  toolRules: true,
  permissionModes: PERMISSION_MODES,
  permissionQuestions: true,
  systemPrompt: true,
  maxTurns: true,
  mcpServers: true,
  compaction: true,
  limits: "with reset times",
  instructions: ["CLAUDE.md", "AGENTS.md"],
  containers: true,
  subagents: true,
  background: true,
};
