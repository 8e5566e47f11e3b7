import type { OnRecord } from "../../connectors/connector.ts";
import { lastChatEvents } from "../../store/conversations/chat-events.ts";
import { openConversations } from "../../store/conversations/conversations.ts";
import type { FleetProject } from "../fleet/projects.ts";
import type { Bot } from "./bots.ts";

const MOST_EVENTS = 50;

/** From where a connector asks its service for what was said while nobody listened. */
export async function onRecordOf(
  projects: readonly FleetProject[],
  { kind, speakers }: Pick<Bot, "kind" | "speakers">,
): Promise<OnRecord> {
  const theirs = projects.filter(({ project }) =>
    speakers.some((speaker) => speaker.project === project.root),
  );
  const all = await Promise.all(
    theirs.map(async ({ store }) => ({
      events: await lastChatEvents(store, kind, MOST_EVENTS),
      conversations: await openConversations(store, kind),
    })),
  );
  return {
    events: all.flatMap(({ events }) => events),
    threads: all
      .flatMap(({ conversations }) => conversations)
      .sort((a, b) => Date.parse(a.lastAt) - Date.parse(b.lastAt))
      .flatMap(({ place: { channel, thread } }) => (thread === undefined ? [] : [{ channel, thread }])),
    direct: all.flatMap(({ conversations }) =>
      conversations.flatMap(({ place }) => (place.isDirect ? [place.channel] : [])),
    ),
  };
}
