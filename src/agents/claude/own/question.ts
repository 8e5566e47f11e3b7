import { type Options, query, type SDKAssistantMessageError } from "@anthropic-ai/claude-agent-sdk";
import type { Outcome } from "../../events.ts";
import { CLIENT, WHOLE_WINDOW, WITHOUT_REPOSITORY } from "../environment.ts";
import { outcomeOf } from "../outcome.ts";

export interface Question {
  /** The session that is asked. It must have been started in `cwd`. */
  sessionId: string;
  cwd: string;
  text: string;
  /** The whole environment of the program, secrets included: never logged. */
  env: Record<string, string>;
  /** As in a session of a job. */
  readsRepository: boolean;
  model?: string;
  /** The user's own program in place of the bundled one. */
  executable?: string;
  signal: AbortSignal;
}

/**
 * Asks a session that has ended one question. The answer comes from a fork of it that is kept nowhere and can do
 * nothing: it has no tools, and no hooks or servers of the user's are started for it.
 */
export async function askFork({
  sessionId,
  cwd,
  text,
  env,
  readsRepository,
  model,
  executable,
  signal,
}: Question): Promise<Outcome> {
  const abortController = new AbortController();
  const abort = () => abortController.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", abort, { once: true });
  const options: Options = {
    resume: sessionId,
    forkSession: true,
    persistSession: false,
    cwd,
    // A window that is nearly full must neither be compacted first nor refused.
    env: { ...WHOLE_WINDOW, ...env, ...(!readsRepository && WITHOUT_REPOSITORY.env), ...CLIENT },
    ...(model !== undefined && { model }),
    ...(executable !== undefined && { pathToClaudeCodeExecutable: executable }),
    systemPrompt: { type: "preset", preset: "claude_code" },
    tools: [],
    permissionMode: "dontAsk",
    permissionPrompts: "none",
    maxTurns: 1,
    ...(!readsRepository && { settingSources: [...WITHOUT_REPOSITORY.options.settingSources] }),
    mcpServers: {},
    strictMcpConfig: true,
    settings: { disableAllHooks: true, autoCompactEnabled: false },
    abortController,
  };
  try {
    let error: SDKAssistantMessageError | undefined;
    for await (const message of query({ prompt: text, options })) {
      if (message.type === "assistant" && message.error) error = message.error;
      if (message.type === "result") return outcomeOf(message, error ? { error } : {});
    }
    return {
      kind: "failed",
      code: "no_result",
      message: "the program ended without an answer",
      retryable: false,
    };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
