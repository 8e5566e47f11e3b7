import type { Abilities } from "./abilities.ts";

export const pi: Abilities = {
  drives: "your own `pi`, through its RPC mode and an extension of Baton's",
  boundary: "exact",
  ownTools: true,
  usage: "each response",
  cost: "told",
  resume: true,
  mintedId: true,
  toolRules: "by name",
  // It asks nobody: whatever the model calls, runs.
  permissionModes: ["bypassPermissions"],
  permissionQuestions: false,
  systemPrompt: true,
  maxTurns: true,
  mcpServers: false,
  compaction: true,
  limits: "without reset times",
  instructions: ["AGENTS.md", "CLAUDE.md"],
  containers: true,
  subagents: false,
  background: false,
};
