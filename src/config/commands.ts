import type { WrittenCommand } from "./config.ts";
import { entryOf } from "./read.ts";
import { placeOf } from "./source.ts";
import type { Entry, Located } from "./tree.ts";

/** The programs and shell commands that an agent's configuration makes Baton, or the agent's program, start. */
export function commandsIn(agent: string, value: Located): WrittenCommand[] {
  const found = [
    ...entries(entryOf(value, "hooks")?.value).flatMap(({ key, value: list }) =>
      shellHooks(`hooks.${key}`, list),
    ),
    ...shellHooks("notify.hooks", entryOf(entryOf(value, "notify")?.value, "hooks")?.value),
    ...command("workspace.setup_command", entryOf(entryOf(value, "workspace")?.value, "setup_command")),
    ...command("executable", entryOf(value, "executable")),
    ...entries(entryOf(value, "mcp_servers")?.value).flatMap(({ key, value: server }) =>
      command(`mcp_servers.${key}`, entryOf(server, "command"), entryOf(server, "args")),
    ),
  ];
  return found.map((each) => ({ agent, ...each }));
}

type Found = Omit<WrittenCommand, "agent">;

function shellHooks(name: string, list: Located | undefined): Found[] {
  if (list?.kind !== "list") return [];
  return list.items.flatMap((hook, index) => command(`${name}[${index}]`, entryOf(hook, "command")));
}

function command(key: string, entry: Entry | undefined, args?: Entry): Found[] {
  if (entry?.value.kind !== "scalar") return [];
  const { written, value, span } = entry.value;
  return [
    { key, command: [written ?? String(value), ...(args ? sources(args.value) : [])], place: placeOf(span) },
  ];
}

function sources(value: Located): string[] {
  if (value.kind === "list") return value.items.flatMap(sources);
  return value.kind === "scalar" ? [value.source] : [];
}

function entries(value: Located | undefined): Entry[] {
  return value?.kind === "map" ? value.entries : [];
}
