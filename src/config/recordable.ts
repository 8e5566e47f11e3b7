import type { BoxConfig } from "./box-config.ts";
import type { AgentConfig } from "./config.ts";
import type { HookConfig } from "./hook-config.ts";

interface RecordedHook {
  type: HookConfig["type"];
  name?: string;
  command?: string;
}

/** An agent's configuration as it is recorded: of what can hold secrets, only the names. */
export interface RecordedAgent
  extends Omit<
    AgentConfig,
    | "env"
    | "mcpServers"
    | "hooks"
    | "notify"
    | "box"
    | "boxPlaces"
    | "programPlace"
    | "agreed"
    | "standIns"
    | "fromEnvironment"
  > {
  env: string[];
  mcpServers: string[];
  box?: Omit<BoxConfig, "env"> & { env: string[] };
  hooks: Record<keyof AgentConfig["hooks"], RecordedHook[]>;
  notify: Omit<AgentConfig["notify"], "hooks"> & { hooks: RecordedHook[] };
}

/** A resume reads the configuration again, so that nothing is missed. */
export function recordable({
  fromEnvironment,
  agreed: _agreed,
  standIns: _others,
  box,
  boxPlaces: _places,
  programPlace: _place,
  ...agent
}: AgentConfig): RecordedAgent {
  const { hooks, notify, workingDirectory, workspace, session, repository } = agent;
  const withoutValues = withNames(fromEnvironment);
  const masked = withoutValues({
    ...agent,
    env: Object.keys(agent.env),
    mcpServers: Object.keys(agent.mcpServers),
    ...(box && { box: recordedBox(box) }),
    hooks: {
      beforeRun: hooks.beforeRun.map(recordedHook),
      afterRun: hooks.afterRun.map(recordedHook),
      onError: hooks.onError.map(recordedHook),
      onSessionStart: hooks.onSessionStart.map(recordedHook),
      onContextThreshold: hooks.onContextThreshold.map(recordedHook),
      onHandoff: hooks.onHandoff.map(recordedHook),
    },
    notify: { ...notify, hooks: notify.hooks.map(recordedHook) },
  });
  const { cloneFrom } = masked.repository;
  return {
    ...masked,
    // Where a job works, and how that is closed, must be known also when the configuration is gone.
    workingDirectory,
    workspace,
    session,
    repository: { ...repository, ...(cloneFrom !== undefined && { cloneFrom }) },
  };
}

function recordedBox({ env, ...box }: BoxConfig): NonNullable<RecordedAgent["box"]> {
  return { ...box, env: Object.keys(env) };
}

function recordedHook(hook: HookConfig): RecordedHook {
  const { type, name } = hook;
  return {
    type,
    ...(name !== undefined && { name }),
    ...(hook.type === "shell" && { command: hook.command }),
  };
}

/** A value that is shorter than this is looked for only as a whole text. */
const SHORTEST_PART = 8;

/** Puts the names of variables where their values are. */
function withNames(fromEnvironment: AgentConfig["fromEnvironment"]): <T>(value: T) => T {
  const longestFirst = fromEnvironment.toSorted((a, b) => b.value.length - a.value.length);
  const parts = longestFirst.filter(({ value }) => value.length >= SHORTEST_PART);
  const inText = (text: string): string =>
    longestFirst.find(({ value }) => value === text)?.written ??
    parts.reduce((clean, { value, written }) => clean.replaceAll(value, () => written), text);
  return (value) =>
    JSON.parse(JSON.stringify(value, (_key, inner) => (typeof inner === "string" ? inText(inner) : inner)));
}
