import type { WrittenCommand } from "../config.ts";
import { entryOf } from "../reader/reader.ts";
import { placeOf } from "../yaml/source.ts";
import type { Entry, Located } from "../yaml/tree.ts";

/**
 * The programs and shell commands that an agent's configuration makes Baton, or the agent's program, start; and where its
 * hooks send what they are told, which may be a secret of the user's.
 */
export function commandsIn(agent: string, value: Located): WrittenCommand[] {
  const found = [
    ...entries(entryOf(value, "hooks")?.value).flatMap(({ key, value: list }) =>
      hooksIn(`hooks.${key}`, list),
    ),
    ...hooksIn("notify.hooks", entryOf(entryOf(value, "notify")?.value, "hooks")?.value),
    ...command("workspace.setup_command", entryOf(entryOf(value, "workspace")?.value, "setup_command")),
    ...command("executable", entryOf(value, "executable")),
    ...entries(entryOf(value, "mcp_servers")?.value).flatMap(({ key, value: server }) =>
      command(`mcp_servers.${key}`, entryOf(server, "command"), entryOf(server, "args")),
    ),
  ];
  return found.map((each) => ({ agent, ...each }));
}

type Found = Omit<WrittenCommand, "agent">;

function hooksIn(name: string, list: Located | undefined): Found[] {
  if (list?.kind !== "list") return [];
  return list.items.flatMap((hook, index) => {
    const key = `${name}[${index}]`;
    const targets = TARGETS.map((target) => entryOf(hook, target)).filter((entry) => entry !== undefined);
    const [first, ...others] = targets;
    return [...command(key, entryOf(hook, "command")), ...command(key, first, ...others)];
  });
}

/** The keys that say to whom a hook speaks, and what it says to be let in. */
const TARGETS = [
  "url",
  "webhook_url",
  "base_url",
  "bot_token_env",
  "channel_id",
  "headers",
  "secret",
] as const;

function command(key: string, entry: Entry | undefined, ...more: (Entry | undefined)[]): Found[] {
  if (entry?.value.kind !== "scalar") return [];
  const { written, value, span } = entry.value;
  const rest = more.flatMap((each) => (each ? sources(each.value) : []));
  return [{ key, command: [written ?? String(value), ...rest], place: placeOf(span) }];
}

function sources(value: Located): string[] {
  if (value.kind === "list") return value.items.flatMap(sources);
  if (value.kind === "map")
    return value.entries.flatMap((each) => sources(each.value).map((text) => `${each.key}: ${text}`));
  return value.kind === "scalar" ? [value.source] : [];
}

function entries(value: Located | undefined): Entry[] {
  return value?.kind === "map" ? value.entries : [];
}
