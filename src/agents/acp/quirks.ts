import type { AcpPresetName } from "../../config/runtimes/acp.ts";
import type { SessionSpec } from "../agent.ts";
import { WHOLE_WINDOW, WITHOUT_REPOSITORY } from "../claude/environment.ts";
import type { PrivateFiles } from "../claude/private-files.ts";
import { bringTranscript } from "../codex/box/sessions-inside.ts";
import { OWN_SERVER } from "../process/own-tools-server.ts";
import { claudeHook } from "./boundary/claude-hook.ts";
import { codexGate } from "./boundary/codex-gate.ts";
import type { Hold, Holds } from "./boundary/hold.ts";
import { ChatFile } from "./gemini/chat-file.ts";
import type { OwnServer } from "./own-tools.ts";
import type { Fields } from "./rpc.ts";
import type { ProgramRecord } from "./told/program-record.ts";

/** In what programs differ, beyond what they say of themselves. */
export interface Quirks {
  /**
   * When a program says how full the window is: as a response begins and again when it is whole; once for each, after its tools;
   * at the end of a turn, in the sum of its last response; or never, as far as is known.
   */
  usage: "begin and end" | "each response" | "each turn" | "none";
  /** Ids of modes, by the words of the configuration: what the program is to be set to, if it has one of them. */
  modes: Readonly<Record<string, readonly string[]>>;
  /** What it is called here: it tells its own version under the name of the program that it drives. */
  name?: string;
  /** It is given its model with the rest, by whatever name. */
  takesModel?: true;
  /** Has it wait before it asks its model again. */
  holds?: Holds;
  /** It asks about a call before it begins: what it asks about once its turn is to end does not begin. */
  asksFirst?: true;
  /** A cancelled turn leaves its commands running. */
  leavesCommands?: true;
  /** A cancelled turn is for the program as if it had never been: what happened in it is told again. */
  forgetsCancelled?: true;
  /** What the program writes down of a session, by the id that it gave it. */
  record?: (env: Record<string, string>, programSession: string) => ProgramRecord;
  /** What else the session is given, at the start of every run: all servers are among it, Baton's own tools too. */
  more?: (spec: SessionSpec, beside: Beside) => Fields;
  env?: (spec: SessionSpec) => Record<string, string>;
  /** Has what the program keeps of a session where it will look for it, in a container or outside. */
  bring?: (spec: SessionSpec, programSession: string) => Promise<void>;
}

/** What of Baton runs beside a program. */
export interface Beside {
  ownServer: OwnServer | undefined;
  hold: Hold | undefined;
  /** What the program would put on a command line, where everybody on the machine can read it. */
  files: PrivateFiles;
}

const MODES = {
  acceptEdits: ["acceptEdits", "autoEdit", "auto_edit"],
  bypassPermissions: ["bypassPermissions", "agent-full-access", "yolo"],
  plan: ["plan", "read-only"],
  auto: ["auto"],
};

const ANY: Quirks = { usage: "none", modes: MODES };

const QUIRKS: Record<AcpPresetName, Quirks> = {
  "claude-agent-acp": {
    name: "claude-agent-acp",
    usage: "begin and end",
    takesModel: true,
    modes: { ...MODES, default: ["default"], dontAsk: ["dontAsk", "default"] },
    holds: claudeHook,
    more: (spec, beside) => ({ _meta: { claudeCode: { options: claudeOptions(spec, beside) } } }),
    env: ({ autoCompact, readsRepository }) => ({
      ...(!autoCompact && WHOLE_WINDOW),
      ...(!readsRepository && WITHOUT_REPOSITORY.env),
    }),
  },
  "codex-acp": {
    name: "codex-acp",
    usage: "each response",
    holds: codexGate,
    leavesCommands: true,
    bring: bringTranscript,
    modes: { ...MODES, default: ["read-only"], acceptEdits: ["workspace-write"] },
  },
  opencode: {
    ...ANY,
    usage: "each turn",
    asksFirst: true,
    env: ({ permissionMode, autoCompact }) => ({
      ...(!autoCompact && { OPENCODE_DISABLE_AUTOCOMPACT: "true" }),
      // It asks about nothing by itself.
      ...(permissionMode !== undefined && {
        OPENCODE_PERMISSION: JSON.stringify(opencodePermission(permissionMode)),
      }),
    }),
  },
  gemini: {
    ...ANY,
    asksFirst: true,
    // It asks first in none of its own modes that allow more.
    modes: { ...MODES, acceptEdits: [], bypassPermissions: [] },
    forgetsCancelled: true,
    record: (env, programSession) => new ChatFile(env, programSession),
    env: ({ readsRepository }) => ({
      // Or its child hears no signals.
      GEMINI_CLI_NO_RELAUNCH: "true",
      // In a folder that it does not trust, it starts no servers: Baton's own tools would be missing.
      GEMINI_CLI_TRUST_WORKSPACE: String(readsRepository),
    }),
  },
};

export function quirksOf(preset: AcpPresetName | undefined): Quirks {
  return preset === undefined ? ANY : QUIRKS[preset];
}

/** Baton answers, by the mode. */
function opencodePermission(mode: string): Fields {
  if (mode === "bypassPermissions") return { "*": "ask" };
  return { edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask" };
}

/** Options of the Agent SDK, which this program hands on. Of servers and settings, Claude Code is given the files that hold them. */
function claudeOptions(spec: SessionSpec, { ownServer: own, hold, files }: Beside): Fields {
  const { model, allowedTools, deniedTools, maxTurns, autoCompact, readsRepository, readable = [] } = spec;
  const { settingSources, ...without } = WITHOUT_REPOSITORY.options;
  const folders = readable.map((folder) => `Read(/${folder}/**)`);
  const mcpServers = { ...spec.mcpServers, ...(own && { [OWN_SERVER]: alwaysThere(own) }) };
  const put = (content: object) => files.put(JSON.stringify(content));
  return {
    ...(model !== undefined && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    allowedTools: [...allowedTools, ...folders],
    disallowedTools: deniedTools,
    extraArgs: {
      settings: put({ autoCompactEnabled: autoCompact, ...hold?.settings }),
      ...(Object.keys(mcpServers).length > 0 && { "mcp-config": put({ mcpServers }) }),
    },
    // It would ask the model for what the user might say next.
    promptSuggestions: false,
    ...(!readsRepository && { ...without, settingSources: [...settingSources] }),
  };
}

/** Always in the prompt: a tool that turned up later would cost the whole prompt cache. */
function alwaysThere({ command, args, env }: OwnServer): Fields {
  return { type: "stdio", command, args, env, alwaysLoad: true };
}
