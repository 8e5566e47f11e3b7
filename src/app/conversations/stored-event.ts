import type { ChatFile, ChatPerson, Heard, Place } from "../../connectors/connector.ts";
import type { Bot, Speaker } from "./bots.ts";

/** What a service told, as it is kept until it is dealt with. What only this process can do with it is left out. */
export interface StoredEvent {
  kind: Heard["kind"];
  bot: Bot["key"];
  service: Bot["kind"];
  agent: Speaker["agent"];
  place: Place;
  by: ChatPerson;
  text: string;
  /** Of a command or a button. */
  name: string;
  isMention: boolean;
  files: Pick<ChatFile, "name" | "type" | "bytes">[];
}

/** What of an event is gone when its process is. */
export interface Fresh {
  files: readonly ChatFile[];
  answer?: ((text: string) => Promise<void>) | undefined;
}

export function storedOf(event: Heard, bot: Bot, { agent }: Speaker): StoredEvent {
  const { kind, place, by } = event;
  const of = { kind, bot: bot.key, service: bot.kind, agent, place, by };
  const nothing = { text: "", name: "", isMention: false, files: [] };
  switch (event.kind) {
    case "message": {
      const files = event.files.map(({ name, type, bytes }) => ({ name, type, bytes }));
      return { ...of, ...nothing, text: event.text, isMention: event.isMention, files };
    }
    case "pressed":
      return { ...of, ...nothing, name: event.button };
    case "command":
      return { ...of, ...nothing, name: event.name, text: event.text };
    case "stop":
      return { ...of, ...nothing };
  }
}

export function freshOf(event: Heard): Fresh {
  return {
    files: event.kind === "message" ? event.files : [],
    ...((event.kind === "command" || event.kind === "pressed") &&
      event.answer && { answer: async (text: string) => event.answer?.(text) }),
  };
}
