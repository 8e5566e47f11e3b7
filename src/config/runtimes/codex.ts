import type { Abilities } from "./abilities.ts";
import { CODEX_PRICES } from "./codex-prices.ts";

export const codex: Abilities = {
  drives: "your own `codex`, through its app server",
  boundary: "exact",
  ownTools: true,
  usage: "each response",
  cost: "list",
  pricedModels: Object.keys(CODEX_PRICES.models),
  resume: true,
  mintedId: false,
  toolRules: false,
  permissionModes: ["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk"],
  permissionQuestions: true,
  systemPrompt: true,
  maxTurns: true,
  mcpServers: "stdio, http",
  compaction: true,
  limits: "with reset times",
  instructions: ["AGENTS.md", "CLAUDE.md"],
  containers: true,
  subagents: false,
  background: true,
};
