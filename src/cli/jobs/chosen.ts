import { type Command, InvalidArgumentError, Option } from "commander";
import { PERMISSION_MODES } from "../../app/config/permission-modes.ts";
import type { Chosen } from "../../config/chosen.ts";
import type { PermissionMode } from "../../config/config.ts";
import { nearest } from "../../util/nearest.ts";

/** What can be chosen for one job, as it is typed. */
export interface ChosenOptions {
  model?: string;
  permissionMode?: PermissionMode;
  maxCost?: number;
  worktree?: true;
}

/** Options that stand over the configuration, for one job. */
export function withChoice(command: Command): Command {
  const mode = new Option("--permission-mode <mode>", "what it may do without asking, in this job");
  return command
    .option("--model <model>", "the model for this job", modelName)
    .addOption(mode.choices(PERMISSION_MODES).argParser(modeName))
    .option("--max-cost <usd>", "pause it when it has cost this many US dollars", dollars)
    .option("--worktree", "give it a git worktree and a branch of its own");
}

/** Empty where nothing was chosen. */
export function chosenIn(options: ChosenOptions): { chosen?: Chosen } {
  const { model, permissionMode, maxCost, worktree } = options;
  const chosen: Chosen = {
    ...(model !== undefined && { model }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(maxCost !== undefined && { maxCostUsd: maxCost }),
    ...(worktree && { worktree }),
  };
  return Object.keys(chosen).length > 0 ? { chosen } : {};
}

function modelName(text: string): string {
  if (/^\S+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the name of a model, such as sonnet or claude-sonnet-4-5.");
}

function modeName(text: string): string {
  if (PERMISSION_MODES.some((mode) => mode === text)) return text;
  const meant = nearest(text, PERMISSION_MODES);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  throw new InvalidArgumentError(`It must be one of ${PERMISSION_MODES.join(", ")}.${hint}`);
}

function dollars(text: string): number {
  const value = Number(text.replace(/^\$/, ""));
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("It must be a number above 0, such as 5 or 0.50.");
}
