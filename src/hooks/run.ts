import { setTimeout as wait } from "node:timers/promises";
import type { HookConfig } from "../config/hook-config.ts";
import type { Grants } from "../secrets/command-environment.ts";
import { runDiscord } from "./discord.ts";
import type { HookRun } from "./hook-run.ts";
import { HookError, type HookNews, type HookOccasion, type HookOutcome } from "./occasion.ts";
import { runShell } from "./shell.ts";
import { runSlack } from "./slack.ts";
import { runWebhook } from "./webhook.ts";
import { holds } from "./when.ts";

export interface HookSetting {
  cwd: string;
  env: Record<string, string>;
  /** What the configuration gives to commands by name. */
  grants: Grants;
  signal: AbortSignal;
  /** Called after each hook, before the next one begins, also for one that was skipped. */
  onRun: (run: HookRun) => void | Promise<void>;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Runs hooks one after the other. None of them can make it throw. */
export async function runHooks(
  hooks: readonly HookConfig[],
  news: HookNews,
  setting: HookSetting,
): Promise<{ runs: HookRun[]; stoppedBy?: HookRun }> {
  const { cwd, env, grants, signal, onRun, sleep = pause } = setting;
  const occasion = { ...news, cwd, env, grants, signal, sleep };
  const runs: HookRun[] = [];
  let stoppedBy: HookRun | undefined;
  for (const [index, hook] of hooks.entries()) {
    const name = hook.name ?? `${hook.type} ${index + 1}`;
    const skipped = stoppedBy ? `"${stoppedBy.name}" failed before it` : notFor(hook, occasion);
    const run: HookRun =
      skipped === undefined
        ? await runOne(hook, name, occasion)
        : { name, kind: hook.type, ok: true, skipped, durationMs: 0, output: "" };
    if (!run.ok && !hook.continueOnError) stoppedBy = run;
    runs.push(run);
    await onRun(run);
  }
  return { runs, ...(stoppedBy && { stoppedBy }) };
}

function notFor(
  { onEvents, when }: HookConfig,
  { event, payload, signal }: HookOccasion,
): string | undefined {
  if (signal.aborted) return "the job is ending";
  if (onEvents && !onEvents.some((each) => each === event)) return `it is for ${onEvents.join(", ")}`;
  if (when !== undefined && !holds(when, payload)) return `${when} does not hold`;
  return undefined;
}

async function runOne(hook: HookConfig, name: string, occasion: HookOccasion): Promise<HookRun> {
  const started = performance.now();
  const outcome = await outcomeOf(hook, occasion).catch(failure);
  return { name, kind: hook.type, durationMs: Math.round(performance.now() - started), ...outcome };
}

async function outcomeOf(hook: HookConfig, occasion: HookOccasion): Promise<HookOutcome> {
  switch (hook.type) {
    case "shell":
      return runShell(hook, occasion);
    case "webhook":
      return runWebhook(hook, occasion);
    case "slack":
      return runSlack(hook, occasion);
    case "discord":
      return runDiscord(hook, occasion);
  }
}

function failure(error: unknown): HookOutcome {
  if (error instanceof HookError) return { ok: false, output: "", error: error.message };
  return { ok: false, output: "", error: `Baton itself failed at it: ${String(error)}. Please report this.` };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
