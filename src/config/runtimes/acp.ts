import { PERMISSION_MODES } from "../config.ts";
import type { Abilities } from "./abilities.ts";

/**
 * What holds for any program that speaks the Agent Client Protocol. A turn ends by an event, so a model that answers within
 * milliseconds may have begun its next tool by then. What a program tells beyond this is found out when it starts.
 */
export const acp: Abilities = {
  drives: "any program that speaks the Agent Client Protocol, by `command`",
  boundary: "by event",
  ownTools: true,
  usage: "estimated",
  cost: "unknown",
  resume: false,
  mintedId: false,
  toolRules: false,
  permissionModes: ["default", "acceptEdits", "bypassPermissions"],
  permissionQuestions: true,
  systemPrompt: true,
  maxTurns: false,
  mcpServers: true,
  compaction: false,
  limits: "without reset times",
  instructions: [],
  containers: false,
  subagents: false,
  background: false,
};

/** A program that Baton knows by its name. */
export interface AcpPreset {
  /** What starts it, where it is on the PATH. */
  command: readonly [string, ...string[]];
  /** What npm installs it as. */
  package: string;
  abilities: Abilities;
}

export const ACP_PRESETS = {
  "claude-agent-acp": {
    command: ["claude-agent-acp"],
    package: "@agentclientprotocol/claude-agent-acp",
    abilities: {
      ...acp,
      drives: "Claude Code, through claude-agent-acp",
      boundary: "exact",
      containers: true,
      usage: "the window alone",
      cost: "told",
      resume: true,
      toolRules: true,
      permissionModes: PERMISSION_MODES,
      maxTurns: true,
      compaction: true,
      instructions: ["CLAUDE.md", "AGENTS.md"],
    },
  },
  "codex-acp": {
    command: ["codex-acp"],
    package: "@agentclientprotocol/codex-acp",
    abilities: {
      ...acp,
      drives: "Codex, through codex-acp",
      boundary: "exact",
      containers: true,
      usage: "the window alone",
      resume: true,
      instructions: ["AGENTS.md"],
    },
  },
  opencode: {
    command: ["opencode", "acp"],
    package: "opencode-ai",
    abilities: {
      ...acp,
      drives: "opencode",
      boundary: "before a tool",
      usage: "each turn",
      resume: true,
      compaction: true,
      instructions: ["AGENTS.md", "CLAUDE.md"],
    },
  },
  gemini: {
    command: ["gemini", "--acp"],
    package: "@google/gemini-cli",
    abilities: {
      ...acp,
      drives: "Gemini CLI",
      boundary: "before a tool",
      usage: "each response",
      containers: true,
      instructions: ["GEMINI.md"],
    },
  },
} as const satisfies Record<string, AcpPreset>;

export type AcpPresetName = keyof typeof ACP_PRESETS;

export function isAcpPreset(name: string): name is AcpPresetName {
  return Object.hasOwn(ACP_PRESETS, name);
}

/** Which of the known programs a command line starts, by its words: through npx, too, and at a path of the user's. */
export function acpPresetIn(command: readonly string[]): AcpPresetName | undefined {
  const words = new Set(command.flatMap((word) => [nameIn(word), word.replace(/(?<=.)@[^@/]*$/, "")]));
  const names = Object.keys(ACP_PRESETS).filter(isAcpPreset);
  return names.find((name) => words.has(name) || words.has(ACP_PRESETS[name].package));
}

/** Of the program at a path. */
function nameIn(word: string): string {
  return (word.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|[cm]?js)$/i, "");
}
