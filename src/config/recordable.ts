import type { HookConfig } from "../hooks/hook.ts";
import type { AgentConfig } from "./config.ts";

type RecordedHook = { type: HookConfig["type"]; name?: string; command?: string };

/** An agent's configuration as it may be put on record: of what can hold secrets, only the names. */
export interface RecordedAgent
  extends Omit<AgentConfig, "env" | "mcpServers" | "hooks" | "notify" | "fromEnvironment"> {
  env: string[];
  mcpServers: string[];
  hooks: Record<keyof AgentConfig["hooks"], RecordedHook[]>;
  notify: Omit<AgentConfig["notify"], "hooks"> & { hooks: RecordedHook[] };
}

/** A text from the environment that is shorter than this is looked for only as a whole. */
const SHORTEST_PART = 8;

/** A resume reads the configuration again, so that nothing is missed. What came from variables is told by their names. */
export function recordable({ fromEnvironment, ...agent }: AgentConfig): RecordedAgent {
  const { hooks, notify } = agent;
  const named: RecordedAgent = {
    ...agent,
    env: Object.keys(agent.env),
    mcpServers: Object.keys(agent.mcpServers),
    hooks: {
      beforeRun: hooks.beforeRun.map(recordedHook),
      afterRun: hooks.afterRun.map(recordedHook),
      onError: hooks.onError.map(recordedHook),
      onSessionStart: hooks.onSessionStart.map(recordedHook),
      onContextThreshold: hooks.onContextThreshold.map(recordedHook),
      onHandoff: hooks.onHandoff.map(recordedHook),
    },
    notify: { ...notify, hooks: notify.hooks.map(recordedHook) },
  };
  const longestFirst = fromEnvironment.toSorted((a, b) => b.value.length - a.value.length);
  const inText = (text: string): string => {
    const whole = longestFirst.find(({ value }) => value === text);
    if (whole) return whole.written;
    const parts = longestFirst.filter(({ value }) => value.length >= SHORTEST_PART);
    return parts.reduce((clean, { value, written }) => clean.replaceAll(value, () => written), text);
  };
  return JSON.parse(
    JSON.stringify(named, (_key, value) => (typeof value === "string" ? inText(value) : value)),
  );
}

function recordedHook(hook: HookConfig): RecordedHook {
  const { type, name } = hook;
  return {
    type,
    ...(name !== undefined && { name }),
    ...(hook.type === "shell" && { command: hook.command }),
  };
}
