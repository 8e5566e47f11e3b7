import type { AgentConfig } from "../config.ts";
import type { Problem } from "../error.ts";
import type { AgentLayer } from "../keys/agent.ts";
import { entryOf } from "../reader/reader.ts";
import { placeOf } from "../yaml/source.ts";
import type { Located } from "../yaml/tree.ts";

interface Where {
  written: Located;
  file: string;
  takesCalls: boolean;
}

/** Schedules that do not go with what else their agent is told. `written`: what holds for it. */
export function wrongSchedules(
  { name: agent, schedules, defaultPrompt, session, chat }: AgentConfig,
  layer: AgentLayer,
  { written, file, ...is }: Where & { isChatWithheld: boolean; isPromptWithheld: boolean },
): Problem[] {
  const { takesCalls } = is;
  const channels = chat?.services.flatMap((service) => service.channels.map(({ id }) => id)) ?? [];
  const known = is.isChatWithheld || channels.length > 0;
  return schedules.flatMap(({ name, prompt, times, channel }): Problem[] => {
    const takesItems = layer.schedules?.[name]?.work_source !== undefined;
    const at = entryOf(entryOf(written, "schedules")?.value, name);
    const place = at ? placeOf(at.keySpan) : { file };
    const problem = (message: string, fix: string) => ({
      ...place,
      message: `schedules.${name} of agent "${agent}" ${message}`,
      fix,
    });
    const resumes = layer.schedules?.[name]?.resume_session;
    const isPersistent = session.mode === "persistent";
    return [
      ...(prompt === undefined && defaultPrompt === undefined && !takesItems && !is.isPromptWithheld
        ? [problem("has no prompt", "add prompt: to it, or default_prompt: to the agent")]
        : []),
      ...(times.kind === "webhook" && !takesCalls
        ? [problem("waits for calls, and none are taken", "add webhooks: { enabled: true } to the file")]
        : []),
      ...(channel !== undefined && !known
        ? [
            problem(
              "posts into a channel, and its agent has no chat",
              "add chat: to the agent, with the channel",
            ),
          ]
        : []),
      ...(channel !== undefined && known && !is.isChatWithheld && !channels.includes(channel)
        ? [
            problem(
              `posts into ${channel}, and its agent has no such channel`,
              `name one of: ${channels.join(", ")}`,
            ),
          ]
        : []),
      ...(resumes === true && !isPersistent
        ? [
            problem(
              "resumes a session, and its agent keeps none",
              "add session: { mode: persistent } to the agent",
            ),
          ]
        : []),
      ...(resumes === false && isPersistent
        ? [
            problem(
              "resumes no session, and its agent always does",
              "leave resume_session out, or session.mode",
            ),
          ]
        : []),
    ];
  });
}
