import { join } from "node:path";
import { isFields } from "../../../util/json.ts";
import { claudeHome } from "../transcripts.ts";

type Fields = Record<string, unknown>;

/** What Baton puts into a settings file of Claude Code. */
export interface PluginEntries {
  /** The folder of the plugin, which is a marketplace of its own. */
  folder: string;
  /** The Node that runs the hooks: a person's PATH may lead to an older one, or to none. */
  node: string;
  statusLine?: string;
}

/** The file of a project that is not shared: the path of Baton is that of this machine. */
export const OF_PROJECT = join(".claude", "settings.local.json");

export function userSettings(env: Record<string, string>): string {
  return join(claudeHome(env), "settings.json");
}

export const MARKETPLACE = "baton";
export const PLUGIN = `baton@${MARKETPLACE}`;
const NODE = "BATON_NODE";
const SERVER = "mcp__plugin_baton_baton__";

/** Without these a handoff would wait for a person to allow it. To ask an earlier session costs tokens: not among them. */
const ALLOWED = [
  "submit_handoff",
  "request_handoff",
  "handoff_created",
  "context_status",
  "list_handoffs",
  "read_handoff",
  "continue_handoff",
  "subagent_status",
  "report_status",
  "list_workers",
].map((tool) => `${SERVER}${tool}`);

/** By itself the program draws it anew with each answer only: a handoff also moves on while nobody says anything. */
const REFRESHED_EVERY_SECONDS = 10;

export function withPlugin(settings: Fields, { folder, node, statusLine }: PluginEntries): Fields {
  const permissions = fieldsIn(settings.permissions);
  const allow = listIn(permissions.allow);
  return {
    ...settings,
    env: { ...fieldsIn(settings.env), [NODE]: node },
    extraKnownMarketplaces: {
      ...fieldsIn(settings.extraKnownMarketplaces),
      [MARKETPLACE]: { source: { source: "directory", path: folder } },
    },
    enabledPlugins: { ...fieldsIn(settings.enabledPlugins), [PLUGIN]: true },
    permissions: { ...permissions, allow: [...allow, ...ALLOWED.filter((rule) => !allow.includes(rule))] },
    ...(statusLine !== undefined && {
      statusLine: { type: "command", command: statusLine, refreshInterval: REFRESHED_EVERY_SECONDS },
    }),
  };
}

/** Takes out what `withPlugin` put in, and nothing else. `before`: as far as is known, what there was without it. */
export function withoutPlugin(settings: Fields, before: Fields = {}): Fields {
  const { statusLine, ...others } = settings;
  const rest = isStatusLine(statusLine) ? others : settings;
  const permissions = fieldsIn(rest.permissions);
  const allow = listIn(permissions.allow).filter((rule) => !ALLOWED.some((ours) => ours === rule));
  return withoutEmptied(
    {
      ...rest,
      env: without(rest.env, NODE),
      extraKnownMarketplaces: without(rest.extraKnownMarketplaces, MARKETPLACE),
      enabledPlugins: without(rest.enabledPlugins, PLUGIN),
      permissions: withoutEmptied({ ...permissions, allow }, ["allow"], fieldsIn(before.permissions)),
    },
    ["env", "extraKnownMarketplaces", "enabledPlugins", "permissions"],
    before,
  );
}

/** Which plugin a settings file enables: its folder and its Node. Undefined where it enables none of Baton's. */
export function pluginIn(settings: Fields): { folder: string; node: string } | undefined {
  if (fieldsIn(settings.enabledPlugins)[PLUGIN] !== true) return undefined;
  const { source } = fieldsIn(fieldsIn(settings.extraKnownMarketplaces)[MARKETPLACE]);
  const { path } = fieldsIn(source);
  const node = fieldsIn(settings.env)[NODE];
  return typeof path === "string" ? { folder: path, node: typeof node === "string" ? node : "" } : undefined;
}

export function hasOtherStatusLine({ statusLine }: Fields): boolean {
  return statusLine !== undefined && !isStatusLine(statusLine);
}

function isStatusLine(value: unknown): boolean {
  const { command } = fieldsIn(value);
  return typeof command === "string" && /baton(?:\.js)?["']? statusline$/.test(command);
}

/** Of the keys that Baton writes to, those with nothing left in them go, unless they were there before. */
function withoutEmptied(fields: Fields, keys: readonly string[], before: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => !keys.includes(key) || !isEmpty(value) || key in before),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function without(value: unknown, key: string): Fields {
  const { [key]: _, ...rest } = fieldsIn(value);
  return rest;
}

function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
