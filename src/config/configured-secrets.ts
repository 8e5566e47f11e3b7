import { isSecretName } from "../secrets/names.ts";
import type { AgentConfig } from "./config.ts";
import type { HookConfig } from "./hook-config.ts";
import type { WorkSourceConfig } from "./work-source.ts";

type Configured = Pick<AgentConfig, "mcpServers" | "hooks" | "notify" | "box"> &
  Partial<Pick<AgentConfig, "workSource" | "schedules">>;

/**
 * What the configuration itself holds that nobody should read, by where it stands there, and what it says is a secret in the
 * environment, whatever the variable is called.
 */
export function configuredSecrets(
  { mcpServers, hooks, notify, box, workSource, schedules = [] }: Configured,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const secrets: Record<string, string> = {};
  const keep = (of: string, values: Record<string, string> | undefined) => {
    for (const [name, value] of Object.entries(values ?? {})) {
      // Of `Bearer abc…` what comes last is the secret.
      if (isSecretName(name)) secrets[`${of}.${name}`] = value.trim().split(/\s+/).at(-1) ?? value;
    }
  };
  for (const [name, server] of Object.entries(mcpServers)) {
    keep(name, "headers" in server ? server.headers : undefined);
    keep(name, "env" in server ? server.env : undefined);
  }
  keep("docker", box?.env);
  for (const [index, hook] of [...Object.values(hooks).flat(), ...notify.hooks].entries()) {
    keep(`hook${index + 1}`, hookSecrets(hook));
  }
  for (const source of [workSource, ...schedules.map((schedule) => schedule.workSource)]) {
    const name = source && variableOf(source.auth);
    const value = name === undefined ? undefined : env[name];
    if (value !== undefined) secrets[`work_source.${name}.token`] = value;
  }
  return secrets;
}

/** Which holds the token or the key of a tracker. */
function variableOf(auth: WorkSourceConfig["auth"]): string | undefined {
  if (auth.kind === "token") return auth.env;
  return "env" in auth.privateKey ? auth.privateKey.env : undefined;
}

function hookSecrets(hook: HookConfig): Record<string, string> {
  if (hook.type !== "webhook") return {};
  return { ...hook.headers, ...(hook.secret !== undefined && { secret: hook.secret }) };
}
