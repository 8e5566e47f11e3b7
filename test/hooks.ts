import { tmpdir } from "node:os";
import type { HookConfig, HookEvent } from "../src/config/hook-config.ts";
import type { HookRun } from "../src/hooks/hook-run.ts";
import type { Message } from "../src/hooks/message.ts";
import { type HookPayload, type JobInput, jobPayload } from "../src/hooks/payload.ts";
import { type HookSetting, runHooks } from "../src/hooks/run.ts";

const common = { continueOnError: true, timeoutMs: 20_000 };

export const shellHook = (command: string, parts: Partial<HookConfig> = {}): HookConfig =>
  ({ ...common, type: "shell", command, ...parts }) as HookConfig;

export const webhookHook = (url: string, parts: Partial<HookConfig> = {}): HookConfig =>
  ({ ...common, type: "webhook", url, method: "POST", headers: {}, retries: 3, ...parts }) as HookConfig;

export const messengerHook = (type: "slack" | "discord", baseUrl: string, parts: Partial<HookConfig> = {}) =>
  ({ ...common, type, baseUrl, tokenEnv: "BOT_TOKEN", ...parts }) as HookConfig;

export const finishedJob = (parts: Partial<JobInput> = {}, output = "All tests pass.", error?: string) =>
  jobPayload({
    event: error === undefined ? "completed" : "failed",
    job: {
      id: "job-2026-02-16-abc123",
      agent: "coder",
      prompt: "Fix the tests.",
      status: error === undefined ? "completed" : "failed",
      startedAt: "2026-02-16T10:00:00.000Z",
      completedAt: "2026-02-16T11:20:00.000Z",
      costUsd: 1.239,
      costIsEstimate: false,
      turns: 42,
      sessions: 3,
      handoffs: 2,
      ...parts,
    },
    result: { success: error === undefined, output, ...(error !== undefined && { error }) },
  });

const completed: Message = {
  tone: "good",
  title: "coder: completed",
  facts: [{ label: "Agent", value: "coder" }],
  text: "All tests pass.",
};

interface Call extends Partial<HookSetting> {
  event?: HookEvent | "before_run";
  payload?: HookPayload;
  message?: Message;
}

/** Runs hooks with a finished job unless told otherwise, and never waits between attempts. */
export function runAll(hooks: HookConfig[], call: Call = {}) {
  const { event = "completed", payload = finishedJob(), message = completed, env = {}, ...setting } = call;
  return runHooks(
    hooks,
    { event, payload, message },
    {
      cwd: tmpdir(),
      grants: { named: [] },
      signal: new AbortController().signal,
      onRun: () => {},
      sleep: async () => {},
      ...setting,
      env: { PATH: process.env.PATH ?? "", ...env },
    },
  );
}

export async function runOne(hook: HookConfig, call: Call = {}): Promise<HookRun> {
  const { runs } = await runAll([hook], call);
  if (runs[0] === undefined) throw new Error("no hook was run");
  return runs[0];
}
