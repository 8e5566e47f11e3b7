import { sessionMark } from "../../processes/marks.ts";
import type { SessionSpec } from "../agent.ts";

/**
 * With its compaction off, the program refuses every request from 23,000 tokens below the window's end: a session that
 * hands off at 90 % could then no longer be asked for its account. The API itself draws the line.
 */
export const WHOLE_WINDOW = { CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: "100000000" };

/**
 * Starts the program without what came with a repository: its settings, and with them its hooks, helpers, variables, plugins,
 * agents, commands and skills; and its servers. What a repository schedules would come as words of the user's.
 */
export const WITHOUT_REPOSITORY = {
  options: { settingSources: ["user"], strictMcpConfig: true },
  env: { CLAUDE_CODE_DISABLE_CRON: "1" },
} as const;

/** The whole environment of the program, with what its sessions are found by. */
export function programEnvironment(spec: SessionSpec): Record<string, string> {
  return {
    ...(!spec.autoCompact && WHOLE_WINDOW),
    ...spec.env,
    ...(!spec.readsRepository && WITHOUT_REPOSITORY.env),
    [sessionMark(spec.sessionId).name]: spec.sessionId,
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
  };
}

/** Who starts the program. */
export const CLIENT = { CLAUDE_AGENT_SDK_CLIENT_APP: "baton" };

/** What a session of the program puts into the environment of all that it starts. */
export const MARKS_OF_A_SESSION: readonly string[] = [
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_PROJECT_DIR",
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_PID",
];
