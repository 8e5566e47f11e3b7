import type { AgentConfig, ScheduleConfig } from "../../config/config.ts";
import type { Conversation } from "../../store/conversations/conversations.ts";

/** The channel that hears what a job of a schedule comes to. Undefined where none does. */
export function heardBy(
  { name: agent, chat }: AgentConfig,
  { channel }: ScheduleConfig,
  job: string,
  now: Date,
): Conversation | undefined {
  const owner = chat?.services.find(({ channels }) => channels.some(({ id }) => id === channel));
  if (!chat || !owner || channel === undefined) return undefined;
  const service = chat.fake ? "terminal" : owner.service;
  const place = { key: `${service}:channel:${channel}`, channel, isDirect: false };
  return {
    ...{ key: `${place.key}~${job}`, kind: "result", place, service, agent, job, session: null },
    ...{ toldSeq: 0, lastAt: now.toISOString(), endedAt: null, live: [], status: null },
  };
}
