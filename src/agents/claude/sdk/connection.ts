import {
  type HookCallbackMatcher,
  type McpServerConfig,
  type Options,
  type PermissionMode,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { isFields } from "../../../util/json.ts";
import type { SessionSpec } from "../../agent.ts";
import { OWN_SERVER } from "../../process/own-tools-server.ts";
import { StartedProgram } from "../../started-program.ts";
import { type Asked, type Connection, type CostTold, HOOKS, type WindowTold } from "../connection.ts";
import { CLIENT, programEnvironment, WITHOUT_REPOSITORY } from "../environment.ts";
import { PrivateFiles } from "../private-files.ts";
import { allowedRules } from "../tools.ts";
import { Inbox } from "./inbox.ts";
import { ownServer } from "./own-server.ts";

const SERVERS = "--mcp-config";

/** The program that comes with the Agent SDK, through it. */
export class SdkConnection implements Connection {
  readonly started = Promise.resolve();
  readonly #query: Query;
  readonly #input = new Inbox();
  #program: StartedProgram | undefined;

  constructor(spec: SessionSpec, asked: Asked) {
    const options = this.#options(spec, asked);
    this.#query = withoutWarning(SHADOWED, () => query({ prompt: this.#input, options }));
  }

  get program(): StartedProgram | undefined {
    return this.#program;
  }

  get messages(): AsyncIterable<SDKMessage> {
    return this.#query;
  }

  send(message: SDKUserMessage): void {
    this.#input.push(message);
  }

  endInput(): void {
    this.#input.end();
  }

  interrupt(): Promise<unknown> {
    return this.#query.interrupt();
  }

  window(): Promise<WindowTold> {
    return this.#query.getContextUsage({ detail: "summary" });
  }

  letCompact(): Promise<unknown> {
    return this.#query.applyFlagSettings({ autoCompactEnabled: true });
  }

  cost(): Promise<CostTold> {
    return this.#query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true });
  }

  close(): void {
    this.#query.close();
  }

  #options(spec: SessionSpec, asked: Asked): Options {
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
      spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
        const files = new PrivateFiles(env, spec.box?.folder);
        const at = args.indexOf(SERVERS) + 1;
        const servers = at > 0 ? args[at] : undefined;
        this.#program = new StartedProgram(
          command,
          servers?.startsWith("{") ? args.with(at, files.put(servers)) : args,
          {
            cwd: cwd ?? spec.cwd,
            env: withValues(env),
            signal,
            trace: spec.trace,
            launch: spec.box?.launch,
            ended: files.remove,
          },
        );
        return this.#program.child;
      },
    };
  }
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
