import { join } from "node:path";
import { isFields } from "../../../util/json.ts";
import { claudeHome } from "../transcripts.ts";
import { MARKETPLACE, PLUGIN } from "./plugin-settings.ts";

type Fields = Record<string, unknown>;

interface PluginRecord {
  path: string;
  /** The record without Baton's plugin. */
  without: (record: Fields) => Fields;
}

/**
 * What Claude Code writes down by itself of a plugin that its settings name. It outlives the settings: without this, a
 * plugin that was taken out is still offered, and is an error once its folder is gone.
 */
export function pluginRecords(env: Record<string, string>): PluginRecord[] {
  const folder = join(claudeHome(env), "plugins");
  return [
    { path: join(folder, "known_marketplaces.json"), without: withoutMarketplace },
    { path: join(folder, "installed_plugins.json"), without: withoutInstalled },
  ];
}

/** A marketplace of that name which is no folder of this machine is somebody else's. */
function withoutMarketplace(record: Fields): Fields {
  const { [MARKETPLACE]: ours, ...others } = record;
  const source = isFields(ours) ? ours.source : undefined;
  return isFields(source) && source.source === "directory" ? others : record;
}

function withoutInstalled(record: Fields): Fields {
  if (!isFields(record.plugins)) return record;
  const { [PLUGIN]: _, ...plugins } = record.plugins;
  return { ...record, plugins };
}
