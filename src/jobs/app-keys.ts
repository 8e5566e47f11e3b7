import type { AgentConfig } from "../config/config.ts";

/** An agent works on items, and has no use for the key of the App that takes them. */
export function withoutAppKeys(
  env: Record<string, string>,
  { workSource, schedules }: Pick<AgentConfig, "workSource" | "schedules">,
): Record<string, string> {
  const keys = [workSource, ...schedules.map((schedule) => schedule.workSource)].flatMap((source) =>
    source?.auth.kind === "app" && "env" in source.auth.privateKey ? [source.auth.privateKey.env] : [],
  );
  // As it is, where nothing is to be taken out: whoever made it counts on its being read once.
  if (keys.length === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !keys.includes(name)));
}
