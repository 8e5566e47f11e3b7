import { isSecretName } from "../secrets/names.ts";
import type { AgentConfig } from "./config.ts";
import type { HookConfig } from "./hook-config.ts";

/** What the configuration itself holds that nobody should read, by where it stands there. */
export function configuredSecrets({
  mcpServers,
  hooks,
  notify,
  box,
}: Pick<AgentConfig, "mcpServers" | "hooks" | "notify" | "box">): Record<string, string> {
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
  return secrets;
}

function hookSecrets(hook: HookConfig): Record<string, string> {
  if (hook.type !== "webhook") return {};
  return { ...hook.headers, ...(hook.secret !== undefined && { secret: hook.secret }) };
}
