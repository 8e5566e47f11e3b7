import type { ChatChannel, ChatMode } from "../../config/chat-config.ts";
import { DEFAULTS } from "../../config/defaults.ts";
import type { ChatPerson, Place } from "../../connectors/connector.ts";
import type { Speaker } from "./bots.ts";

/** Which agent a message is for. `known`: the agent that has a conversation there already. */
export function addressed(
  speakers: readonly Speaker[],
  { place, by, isMention }: { place: Place; by: ChatPerson; isMention: boolean },
  known: { project: string; agent: string } | undefined,
): Speaker | undefined {
  const speaker = place.isDirect
    ? speakers.find((each) => each.service.dm.enabled && mayWrite(each, by))
    : // A channel that one of them names is not another's, whose server it is on.
      (speakers.find((each) => channelOf(each, place)) ??
      speakers.find(({ service }) => modeIn(service, place) !== undefined));
  if (!speaker) return undefined;
  const mode = place.isDirect ? speaker.service.dm.mode : modeIn(speaker.service, place);
  const isTheirs = known?.agent === speaker.agent && known.project === speaker.project;
  return mode === "auto" || isMention || isTheirs ? speaker : undefined;
}

/** Whether a person's commands and presses there count at all. */
export function mayTalk(speakers: readonly Speaker[], place: Place, by: ChatPerson): boolean {
  return addressed(speakers, { place, by, isMention: true }, undefined) !== undefined;
}

function modeIn({ channels, guilds }: Speaker["service"], { channel, guild }: Place): ChatMode | undefined {
  return (
    channels.find(({ id }) => id === channel)?.mode ??
    guilds.find(({ id }) => guild !== undefined && id === guild)?.mode
  );
}

function channelOf(speaker: Speaker, place: Place): ChatChannel | undefined {
  return speaker.service.channels.find(({ id }) => id === place.channel);
}

/** How many messages before its first one a conversation is told. */
export function contextIn(speaker: Speaker, place: Place): number {
  if (place.isDirect) return 0;
  return channelOf(speaker, place)?.contextMessages ?? DEFAULTS.chat.context_messages;
}

/** The block list wins. */
function mayWrite({ service: { dm } }: Speaker, { id }: ChatPerson): boolean {
  return !dm.blocklist.includes(id) && (dm.allowlist === undefined || dm.allowlist.includes(id));
}

export const COMMANDS = [
  { name: "help", does: "this list" },
  { name: "status", does: "what I am doing, and how full my window is" },
  { name: "stop", does: "end what I am doing now" },
  { name: "reset", does: "end this conversation; the next message begins another" },
  { name: "handoff", takes: "[focus]", does: "continue in a fresh session, at the next step" },
  { name: "sessions", does: "the sessions of this conversation" },
  { name: "cost", does: "what it came to" },
  { name: "follow", takes: "<job>", does: "hear in this thread what a job does" },
  { name: "answer", takes: "<ask> <text>", does: "answer what I asked" },
  { name: "skill", takes: "<name> [words]", does: "use one of my skills" },
] as const;

export interface Command {
  name: (typeof COMMANDS)[number]["name"];
  text: string;
}

/** `!status`, anywhere; `status` alone, where the bot was mentioned. Anything more is a message: "stop the server" is work. */
export function commandIn(text: string, isMention: boolean): Command | undefined {
  const [, bang, word = "", rest = ""] = /^\s*(!?)\s*([a-z]+)\b\s*([\s\S]*?)\s*$/i.exec(text) ?? [];
  const known = COMMANDS.find(({ name }) => name === word.toLowerCase());
  if (!known) return undefined;
  const needsMore = "takes" in known && known.takes.startsWith("<");
  const isMeant = rest === "" ? !needsMore : "takes" in known && known.name !== "skill";
  return bang === "!" || (isMention && isMeant) ? { name: known.name, text: rest } : undefined;
}
