import type { HookEvent } from "../config/hook-config.ts";
import type { HookRun } from "./hook-run.ts";
import type { HookPayload } from "./payload.ts";

/** What one hook is told, and where it runs. */
export interface HookOccasion {
  event: HookEvent | "before_run";
  payload: HookPayload;
  cwd: string;
  env: Record<string, string>;
  signal: AbortSignal;
  /** Between two attempts. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How a hook that was run ended. */
export type HookOutcome = Pick<HookRun, "ok" | "output" | "error" | "exitCode">;

/** A hook failed for a reason that its message tells a person. */
export class HookError extends Error {
  override readonly name = "HookError";
}
