import type { ChatServiceConfig } from "../chat-config.ts";
import type { AgentConfig } from "../config.ts";
import type { Problem } from "../error.ts";
import { entryOf } from "../reader/reader.ts";
import { placeOf } from "../yaml/source.ts";
import type { Located } from "../yaml/tree.ts";

interface WrittenAgent {
  name: string;
  value: Located;
}

/** What of the chats of all agents cannot hold together. */
export function wrongChats(
  agents: readonly AgentConfig[],
  written: readonly WrittenAgent[],
  file: string,
): Problem[] {
  const taken = new Map<string, string>();
  return agents.flatMap(({ name, chat }) => {
    if (!chat) return [];
    const value = written.find((each) => each.name === name)?.value;
    return chat.services.flatMap((service) => {
      const at = entryOf(entryOf(value, "chat")?.value, service.service);
      const place = (node: Located | undefined) =>
        node ? placeOf(node.span) : at ? placeOf(at.keySpan) : { file };
      const problems: Problem[] = [];
      for (const { what, id, key } of answeredBy(service)) {
        const other = taken.get(key);
        taken.set(key, name);
        if (other === undefined) continue;
        const who = other === name ? "twice" : `by "${other}" already, with the same token`;
        problems.push({
          ...place(scalarIn(at?.value, id)),
          message: `${what} is answered ${who}`,
          fix: "name each channel at one agent, or give the other one a bot of its own: bot_token_env",
        });
      }
      if (service.commands.scope === "guild" && service.commands.guild === undefined)
        problems.push({
          ...place(entryOf(at?.value, "command_registration")?.value),
          message: `chat.discord.command_registration of agent "${name}" names no server`,
          fix: 'add guild_id: "1048576123456789012"',
        });
      return problems;
    });
  });
}

function answeredBy({ service, tokenEnv, channels, guilds }: ChatServiceConfig) {
  const bot = `${service} ${tokenEnv}`;
  return [
    ...channels.map(({ id }) => ({ what: `the channel ${id}`, id, key: `${bot} ${id}` })),
    ...guilds.flatMap(({ id, mode }) =>
      mode ? [{ what: `every other channel of ${id}`, id, key: `${bot} rest of ${id}` }] : [],
    ),
  ];
}

/** Where a text stands; the last one, because an earlier one is what it meets. */
function scalarIn(value: Located | undefined, text: string): Located | undefined {
  switch (value?.kind) {
    case "map":
      return value.entries.map((entry) => scalarIn(entry.value, text)).findLast(Boolean);
    case "list":
      return value.items.map((item) => scalarIn(item, text)).findLast(Boolean);
    case "scalar":
      return value.value === text ? value : undefined;
    default:
      return undefined;
  }
}
