import { setTimeout as wait } from "node:timers/promises";
import type { HookConfig } from "../config/hook-config.ts";
import { type AgreedFiles, notAgreedTo } from "../config/trust/named-files.ts";
import type { Grants } from "../secrets/command-environment.ts";
import { type HookCall, HookError, type HookNews, type HookOutcome } from "./hook-call.ts";
import type { HookRun } from "./hook-run.ts";
import { runShell } from "./shell.ts";
import { runWebhook } from "./webhook.ts";
import { holds } from "./when.ts";

export interface HookSetting extends Pick<HookCall, "launch"> {
  cwd: string;
  env: Record<string, string>;
  /** What the configuration gives to commands by name. */
  grants: Grants;
  signal: AbortSignal;
  agreed?: AgreedFiles;
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
  const { onRun, sleep = pause, ...place } = setting;
  const call: HookCall = { ...news, ...place, sleep };
  const runs: HookRun[] = [];
  let stoppedBy: HookRun | undefined;
  for (const [index, hook] of hooks.entries()) {
    const name = hook.name ?? `${hook.type} ${index + 1}`;
    const skipped = stoppedBy ? `"${stoppedBy.name}" failed before it` : notFor(hook, call);
    const run: HookRun =
      skipped === undefined
        ? await runOne(hook, name, call)
        : { name, kind: hook.type, ok: true, skipped, durationMs: 0, output: "" };
    if (!run.ok && !hook.continueOnError) stoppedBy = run;
    runs.push(run);
    await onRun(run);
  }
  return { runs, ...(stoppedBy && { stoppedBy }) };
}

function notFor({ onEvents, when }: HookConfig, { event, payload, signal }: HookCall): string | undefined {
  if (signal.aborted) return "the job is ending";
  if (onEvents && !onEvents.some((each) => each === event)) return `it is for ${onEvents.join(", ")}`;
  if (when !== undefined && !holds(when, payload)) return `${when} does not hold`;
  return undefined;
}

async function runOne(hook: HookConfig, name: string, call: HookCall): Promise<HookRun> {
  const started = performance.now();
  const outcome = await outcomeOf(hook, call).catch(failure);
  return { name, kind: hook.type, durationMs: Math.round(performance.now() - started), ...outcome };
}

/** What few people use is loaded when it is used: every job, and every look at what jobs left, would wait for it. */
async function outcomeOf(hook: HookConfig, call: HookCall): Promise<HookOutcome> {
  switch (hook.type) {
    case "shell":
      refuseOtherScript(hook.command, call);
      return runShell(hook, call);
    case "webhook":
      return runWebhook(hook, call);
    case "slack":
      return (await import("./slack.ts")).runSlack(hook, call);
    case "discord":
      return (await import("./discord.ts")).runDiscord(hook, call);
  }
}

/** The agent may have written to a script, or its branch may have another. */
function refuseOtherScript(command: string, { cwd, agreed }: HookCall): void {
  const script = agreed && notAgreedTo([command], cwd, agreed);
  if (script === undefined) return;
  throw new HookError(`it was not run: ${script} is not as you agreed to it. Look at it, then: baton trust`);
}

function failure(error: unknown): HookOutcome {
  if (error instanceof HookError) return { ok: false, output: "", error: error.message };
  return { ok: false, output: "", error: `Baton itself failed at it: ${String(error)}. Please report this.` };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
