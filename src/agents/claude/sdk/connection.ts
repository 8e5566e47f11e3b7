import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type {
  HookCallbackMatcher,
  McpServerConfig,
  Options,
  PermissionMode,
  Query,
  SDKMessage,
  SDKUserMessage,
  SpawnOptions,
} from "@anthropic-ai/claude-agent-sdk";
import { isFields } from "../../../util/json.ts";
import type { SessionSpec } from "../../agent.ts";
import { OWN_SERVER } from "../../process/own-tools-server.ts";
import { StartedProgram } from "../../started-program.ts";
import { type Asked, type Connection, type CostTold, HOOKS, type WindowTold } from "../connection.ts";
import { CLIENT, programEnvironment, WITHOUT_REPOSITORY } from "../environment.ts";
import { PrivateFiles } from "../private-files.ts";
import { claudeProgram } from "../program.ts";
import { allowedRules } from "../tools.ts";
import { type CommandLine, commandLine, isSame } from "./command-line.ts";
import { Inbox } from "./inbox.ts";
import { ownServer } from "./own-server.ts";

const SERVERS = "--mcp-config";

/** The program that comes with the Agent SDK, through it. It starts up while the SDK is loaded. */
export class SdkConnection implements Connection {
  readonly started: Promise<void>;
  readonly #spec: SessionSpec;
  readonly #query: Promise<Query>;
  readonly #input = new Inbox();
  #program: StartedProgram | undefined;
  /** What it was started with before the SDK could say it. */
  #guess: CommandLine | undefined;

  constructor(spec: SessionSpec, asked: Asked) {
    this.#spec = spec;
    const options = optionsFor(spec, asked);
    this.#guess = commandLine(options, claudeProgram(spec.executable), sdkVersion());
    if (this.#guess) this.#program = this.#start(this.#guess);
    this.#query = this.#connect(options);
    this.started = this.#query.then(
      () => {},
      () => {},
    );
  }

  get program(): StartedProgram | undefined {
    return this.#program;
  }

  get messages(): AsyncIterable<SDKMessage> {
    return this.#told();
  }

  send(message: SDKUserMessage): void {
    this.#input.push(message);
  }

  endInput(): void {
    this.#input.end();
  }

  async interrupt(): Promise<unknown> {
    return (await this.#query).interrupt();
  }

  async window(): Promise<WindowTold> {
    return (await this.#query).getContextUsage({ detail: "summary" });
  }

  async letCompact(): Promise<unknown> {
    return (await this.#query).applyFlagSettings({ autoCompactEnabled: true });
  }

  async cost(): Promise<CostTold> {
    const query = await this.#query;
    return query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true });
  }

  close(): void {
    void this.#query.then(
      (query) => query.close(),
      () => {},
    );
  }

  async *#told(): AsyncGenerator<SDKMessage> {
    yield* await this.#query;
  }

  async #connect(options: Options): Promise<Query> {
    try {
      const { query } = await import("@anthropic-ai/claude-agent-sdk");
      const spawned = { ...options, spawnClaudeCodeProcess: (wanted: SpawnOptions) => this.#spawned(wanted) };
      return withoutWarning(SHADOWED, () => query({ prompt: this.#input, options: spawned }));
    } catch (error) {
      this.#program?.child.kill("SIGKILL");
      throw error;
    }
  }

  /** The program that starts up already, if it is what the SDK wants. */
  #spawned({ signal, ...wanted }: SpawnOptions): StartedProgram["child"] {
    const ahead = this.#program;
    if (ahead && !ahead.hasEnded && this.#guess && isSame(this.#guess, wanted)) {
      signal.addEventListener("abort", () => ahead.child.kill(), { once: true });
      return ahead.child;
    }
    ahead?.child.kill("SIGKILL");
    this.#program = this.#start(wanted, signal);
    return this.#program.child;
  }

  #start({ command, args, cwd, env }: CommandLine, signal?: AbortSignal): StartedProgram {
    const spec = this.#spec;
    const files = new PrivateFiles(env, spec.box?.folder);
    const at = args.indexOf(SERVERS) + 1;
    const servers = at > 0 ? args[at] : undefined;
    return new StartedProgram(command, servers?.startsWith("{") ? args.with(at, files.put(servers)) : args, {
      cwd: cwd ?? spec.cwd,
      env: withValues(env),
      ...(signal && { signal }),
      trace: spec.trace,
      launch: spec.box?.launch,
      ended: files.remove,
    });
  }
}

function optionsFor(spec: SessionSpec, asked: Asked): Options {
  const hooked: HookCallbackMatcher[] = [{ hooks: [(input, call) => asked.hook(input, call)] }];
  // Who asks a person has the program's own question, and its hook would be one more.
  const hooks = HOOKS.filter((event) => !(asked.permit && event === "PermissionRequest"));
  return {
    cwd: spec.cwd,
    env: { ...programEnvironment(spec), ...CLIENT },
    ...(!spec.readsRepository && withoutRepository()),
    ...(spec.resume ? { resume: spec.sessionId } : { sessionId: spec.sessionId }),
    ...(spec.model !== undefined && { model: spec.model }),
    systemPrompt: {
      type: "preset",
      preset: "claude_code",
      ...(spec.systemPrompt !== undefined && { append: spec.systemPrompt }),
    },
    allowedTools: allowedRules(spec),
    disallowedTools: spec.deniedTools,
    ...(spec.permissionMode !== undefined && {
      permissionMode: spec.permissionMode as PermissionMode,
      allowDangerouslySkipPermissions: spec.permissionMode === "bypassPermissions",
    }),
    ...(asked.permit ? { canUseTool: asked.permit } : { permissionPrompts: "none" }),
    mcpServers: {
      ...(spec.mcpServers as Record<string, McpServerConfig>),
      ...(spec.ownTools.names.length > 0 && { [OWN_SERVER]: ownServer(spec.ownTools) }),
    },
    ...(spec.maxTurns !== undefined && { maxTurns: spec.maxTurns }),
    ...(spec.executable !== undefined && { pathToClaudeCodeExecutable: spec.executable }),
    settings: { autoCompactEnabled: spec.autoCompact },
    includePartialMessages: true,
    hooks: Object.fromEntries(hooks.map((event) => [event, hooked])),
  };
}

/** Which it tells the program. */
function sdkVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = require(
    join(dirname(require.resolve("@anthropic-ai/claude-agent-sdk")), "package.json"),
  );
  return String(version);
}

/** That a person is not asked about what is allowed anyway: just that is meant, and nothing that they should read. */
const SHADOWED = "CLAUDE_SDK_CAN_USE_TOOL_SHADOWED";

function withoutWarning<T>(code: string, start: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (...warning: unknown[]) => {
    const isIt = warning.some((part) => isFields(part) && part.code === code);
    if (!isIt) Reflect.apply(emitWarning, process, warning);
  };
  try {
    return start();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The SDK changes no list that it is given, but its types do not say so. */
function withoutRepository(): Pick<Options, "settingSources" | "strictMcpConfig"> {
  const { settingSources, strictMcpConfig } = WITHOUT_REPOSITORY.options;
  return { settingSources: [...settingSources], strictMcpConfig };
}

function withValues(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
