import { isAbsolute, join, resolve } from "node:path";
import { readBoundedText } from "../../../../files/bounded-file.ts";
import { checkoutOf } from "../../../../git/checkout.ts";
import { fromJson, isFields } from "../../../../util/json.ts";

/** What settings files say of what a session may do. */
export interface PermissionSettings {
  allow: string[];
  /** What is asked about is denied where nobody can be asked. */
  deny: string[];
  /** Folders beside its own that it works in. */
  folders: string[];
  mode?: string;
  model?: string;
  /** The first of these files that has commands run in a sandbox. */
  sandboxIn?: string;
}

const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Of the files that the program reads in a folder, and of one that it was started with. The user's own and the
 * administrator's it reads wherever it is started: they are only asked for what they name.
 */
export async function permissionSettings(
  folder: string,
  { own, given }: { own: string; given: string | undefined },
): Promise<PermissionSettings> {
  const found: PermissionSettings = { allow: [], deny: [], folders: [] };
  const users = fileIn(own);
  for (const { settings, root, path } of [
    ...(await filesOf(folder)).map((at) => ({ ...at, settings: fileIn(at.path) })),
    ...(given === undefined ? [] : [{ root: folder, path: "--settings", settings: givenIn(given, folder) }]),
  ])
    if (settings) add(found, settings, root, path);
  const { model, permissions } = users ?? {};
  return {
    ...(typeof model === "string" && { model }),
    ...(isFields(permissions) &&
      typeof permissions.defaultMode === "string" && { mode: permissions.defaultMode }),
    ...found,
  };
}

/** In a folder further down the program reads the local settings of the whole checkout too. */
async function filesOf(folder: string): Promise<{ root: string; path: string }[]> {
  const checkout = await checkoutOf(folder).catch(() => undefined);
  const local = new Set([...(checkout ? [checkout.main, checkout.top] : []), folder]);
  return [
    { root: folder, path: join(folder, ".claude", "settings.json") },
    ...[...local].map((root) => ({ root, path: join(root, ".claude", "settings.local.json") })),
  ];
}

type Fields = Record<string, unknown>;

function fileIn(path: string): Fields | undefined {
  try {
    const value = fromJson(readBoundedText(path, MOST_BYTES));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A file, or the settings themselves. */
function givenIn(given: string, folder: string): Fields | undefined {
  if (!given.trimStart().startsWith("{")) return fileIn(resolve(folder, given));
  const value = fromJson(given);
  return isFields(value) ? value : undefined;
}

/** The later file counts more, but no rule of an earlier one is gone. */
function add(found: PermissionSettings, settings: Fields, root: string, path: string): void {
  const { model, sandbox } = settings;
  const permissions = isFields(settings.permissions) ? settings.permissions : {};
  const rules = (key: string) => textsIn(permissions[key]).map((rule) => fromAnywhere(rule, root));
  found.allow.push(...rules("allow"));
  found.deny.push(...rules("deny"), ...rules("ask"));
  found.folders.push(...textsIn(permissions.additionalDirectories).map((at) => resolve(root, at)));
  if (typeof permissions.defaultMode === "string") found.mode = permissions.defaultMode;
  if (typeof model === "string") found.model = model;
  if (isFields(sandbox) && sandbox.enabled === true) found.sandboxIn ??= path;
}

/** In a file, a path that begins with one slash is one below the folder that the file is for. */
const FROM_ROOT = /^(?<tool>Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep)\((?<path>\/(?!\/).*)\)$/s;

function fromAnywhere(rule: string, root: string): string {
  const { tool, path } = FROM_ROOT.exec(rule)?.groups ?? {};
  return tool === undefined || !isAbsolute(root) ? rule : `${tool}(/${root}${path})`;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}
