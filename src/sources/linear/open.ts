import type { LinearSourceConfig } from "../../config/work-source.ts";
import type { LinearOptions } from "./api.ts";
import { LinearSource } from "./linear.ts";

/** The source that a configuration names, with the secret that its variable holds now. */
export function openLinear(
  {
    team,
    states,
    apiUrl,
    labels,
    auth,
  }: Pick<LinearSourceConfig, "team" | "states" | "apiUrl" | "labels" | "auth">,
  env: Readonly<Record<string, string | undefined>>,
  pace: Pick<LinearOptions, "timeoutMs" | "sleep" | "now"> = {},
): LinearSource {
  return new LinearSource({ ...pace, team, states, apiUrl, labels, token: env[auth.env], from: auth.env });
}
