import type { HookEvent } from "../config/hook-config.ts";
import type { AgreedFiles } from "../config/trust/named-files.ts";
import type { Launch } from "../processes/launch.ts";
import type { Grants } from "../secrets/command-environment.ts";
import type { HookRun } from "./hook-run.ts";
import type { Message } from "./message.ts";
import type { HookPayload } from "./payload.ts";

/** What hooks are told: programs by the payload, people by the message. */
export interface HookNews {
  event: HookEvent | "before_run";
  payload: HookPayload;
  message: Message;
}

/** What one hook is told, and where it runs. */
export interface HookCall extends HookNews {
  cwd: string;
  /** Where a command is not started on this machine as it is. Rejects with a `HookError` where it cannot be started there. */
  launch?: () => Promise<Launch | undefined>;
  /** All of the job's: a command gets what `grants` and the hook allow of it. */
  env: Record<string, string>;
  grants: Grants;
  signal: AbortSignal;
  /** The scripts of the project that may run, as they were agreed to; absent, any may. */
  agreed?: AgreedFiles;
  /** Between two attempts. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How a hook that was run ended. */
export type HookOutcome = Pick<HookRun, "ok" | "output" | "error" | "exitCode">;

/** A hook failed for a reason that its message tells a person. */
export class HookError extends Error {
  override readonly name = "HookError";
}
