import { resolve } from "node:path";
import { PERMISSION_MODES, type PermissionMode } from "../../../../config/config.ts";
import type { Ways } from "../../../../config/ways.ts";
import { claudeModels } from "../../windows.ts";
import type { keptOptions } from "../launch.ts";
import type { PermissionSettings } from "./settings.ts";
import type { Trail } from "./trail.ts";

/** What is known of how a session works. */
export interface Known {
  /** The folder that it was started in. */
  folder: string;
  /** As its hooks told it last. */
  mode: string | undefined;
  trail: Trail;
  settings: PermissionSettings;
  /** Undefined where it is not known how its program was started. */
  options: ReturnType<typeof keptOptions> | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a job in that folder reads the settings of the repository. */
  readsRepository: boolean;
}

/** How a session works, its model and what it may do without asking. */
interface SessionWays extends Ways {
  model?: string;
  permissionMode: PermissionMode;
}

/**
 * How a session works, for a job that continues it where nobody can be asked. `why`: that is not known, or the session
 * asked its person, and a job would be denied what they allowed.
 */
export function waysOf(known: Known): SessionWays | { why: string } {
  const { folder, trail, settings, options } = known;
  if (!options) return { why: "it is not known how it was started" };
  const permissionMode = modeOf(known, options);
  if (permissionMode === undefined) return { why: "its permission mode is not known" };
  if (settings.sandboxIn !== undefined && !known.readsRepository)
    return { why: `its sandbox is set up in ${settings.sandboxIn}, which a job reads once you trust it` };
  const rules = [...settings.allow, ...named(options, ALLOWED), ...trail.granted];
  const why = unattended(permissionMode, trail, rules);
  if (why !== undefined) return { why };
  const model = modelOf(known, options);
  const folders = [...settings.folders, ...named(options, ["--add-dir"]).map((at) => resolve(folder, at))];
  return {
    folder,
    ...(model !== undefined && { model }),
    permissionMode,
    allowedTools: unique([...rules, ...folders.flatMap((at) => within(at, permissionMode))]),
    deniedTools: unique([...settings.deny, ...named(options, DENIED)]),
  };
}

const ALLOWED = ["--allowedTools", "--allowed-tools"];
const DENIED = ["--disallowedTools", "--disallowed-tools"];

type Options = NonNullable<Known["options"]>;

function named(options: Options, names: readonly string[]): string[] {
  return options.filter(({ name }) => names.includes(name)).flatMap(({ values }) => values);
}

function modeOf({ mode, trail, settings }: Known, options: Options): PermissionMode | undefined {
  const bypasses = options.some(({ name }) => name === "--dangerously-skip-permissions");
  const written =
    mode ??
    trail.mode ??
    named(options, ["--permission-mode"]).at(-1) ??
    (bypasses ? "bypassPermissions" : settings.mode);
  return PERMISSION_MODES.find((one) => one === written);
}

/** What would go wrong where nobody sits in front of it. */
function unattended(mode: PermissionMode, trail: Trail, rules: readonly string[]): string | undefined {
  const nobody = "and a job in the background has nobody to ask";
  switch (mode) {
    case "bypassPermissions":
    case "dontAsk":
    case "auto":
      return undefined;
    case "plan":
      return "it is in plan mode, and only you can approve a plan";
    case "default":
    case "acceptEdits": {
      if (!trail.tells) return "its transcript does not tell what you allowed it to do";
      const isAllowedNow = (kind: string) => kind === "write" && mode === "acceptEdits";
      const asked = unique(trail.asked.filter(({ kind }) => !isAllowedNow(kind)).map(({ tool }) => tool));
      if (asked.length > 0) return `it asked you before it used ${asked.join(", ")}, ${nobody}`;
      const edits = mode === "acceptEdits" || trail.editedIn.includes(mode) || rules.some(allowsEdits);
      return edits ? undefined : `it asks you before it changes a file, ${nobody}`;
    }
  }
}

function allowsEdits(rule: string): boolean {
  return /^(?:Edit|Write)\b/.test(rule);
}

const LONG = "[1m]";

/** A transcript does not tell which window of a model was asked for. */
function modelOf({ trail, settings, env }: Known, options: Options): string | undefined {
  const chosen = [named(options, ["--model"]).at(-1), env.ANTHROPIC_MODEL, settings.model];
  const { model } = trail;
  if (model === undefined) return chosen.find(Boolean);
  const isLong = chosen.some((name) => name?.endsWith(LONG) && isOf(name.slice(0, -LONG.length), model));
  return isLong && !model.endsWith(LONG) ? `${model}${LONG}` : model;
}

/** By its name, or that of its family: `sonnet`. */
function isOf(name: string, model: string): boolean {
  return claudeModels.isSameModel(name, model) || model.includes(`-${name}-`);
}

function within(folder: string, mode: PermissionMode): string[] {
  const files = `(/${folder}/**)`;
  return [`Read${files}`, ...(mode === "acceptEdits" ? [`Edit${files}`] : [])];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
