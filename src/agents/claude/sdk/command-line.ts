import type { McpServerConfig, Options, SpawnOptions } from "@anthropic-ai/claude-agent-sdk";

/** What the SDK starts the program with, beside a signal that ends it. */
export type CommandLine = Pick<SpawnOptions, "command" | "args" | "cwd" | "env">;

/** Other programs the SDK starts with a script's interpreter. */
const SCRIPT = /\.(?:[cm]?js|[jt]sx|ts)$/;

/**
 * The command line that the SDK will start the program with, so that it can start up while the SDK is loaded, which takes longer
 * than all else before it. Undefined where it is not known. A guess: where the SDK wants another, the program is started anew.
 */
export function commandLine(
  options: Options,
  program: string | undefined,
  sdkVersion: string,
): CommandLine | undefined {
  const { cwd, env } = options;
  if (program === undefined || SCRIPT.test(program) || cwd === undefined || env === undefined)
    return undefined;
  return { command: program, args: argumentsOf(options), cwd, env: environmentOf(env, sdkVersion) };
}

export function isSame(one: CommandLine, other: CommandLine): boolean {
  return one.command === other.command && one.cwd === other.cwd && textOf(one) === textOf(other);
}

function textOf({ args, env }: CommandLine): string {
  const sorted = Object.entries(env)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([args, sorted]);
}

function argumentsOf(options: Options): string[] {
  const { maxTurns, model, resume, sessionId, settingSources, permissionMode, settings } = options;
  const { permissionPrompts: prompts, allowedTools = [], disallowedTools = [], mcpServers = {} } = options;
  // Those in this process the program is told of later.
  const servers = Object.entries(mcpServers).filter(([, server]) => !isHere(server));
  return [
    ...["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"],
    ...(maxTurns ? [`--max-turns=${maxTurns}`] : []),
    ...(model ? [`--model=${model}`] : []),
    ...(options.canUseTool ? ["--permission-prompt-tool=stdio"] : []),
    ...(prompts ? [`--permission-prompts=${prompts}`] : []),
    ...(resume ? [`--resume=${resume}`] : []),
    ...(allowedTools.length > 0 ? [`--allowedTools=${allowedTools.join(",")}`] : []),
    ...(disallowedTools.length > 0 ? [`--disallowedTools=${disallowedTools.join(",")}`] : []),
    ...(servers.length > 0
      ? ["--mcp-config", JSON.stringify({ mcpServers: Object.fromEntries(servers) })]
      : []),
    ...(settingSources ? [`--setting-sources=${settingSources.join(",")}`] : []),
    ...(options.strictMcpConfig ? ["--strict-mcp-config"] : []),
    ...(permissionMode ? [`--permission-mode=${permissionMode}`] : []),
    ...(options.allowDangerouslySkipPermissions ? ["--allow-dangerously-skip-permissions"] : []),
    ...(options.includePartialMessages ? ["--include-partial-messages"] : []),
    ...(sessionId ? [`--session-id=${sessionId}`] : []),
    ...(settings ? ["--settings", JSON.stringify(settings)] : []),
  ];
}

function isHere(server: McpServerConfig): boolean {
  return server.type === "sdk";
}

function environmentOf(env: NonNullable<Options["env"]>, sdkVersion: string): NonNullable<Options["env"]> {
  const { NODE_OPTIONS: _options, DEBUG: _debug, ...rest } = env;
  return {
    CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
    ...rest,
    CLAUDE_CODE_ENTRYPOINT: env.CLAUDE_CODE_ENTRYPOINT || "sdk-ts",
    CLAUDE_AGENT_SDK_VERSION: env.CLAUDE_AGENT_SDK_VERSION || sdkVersion,
  };
}
