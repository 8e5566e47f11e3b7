import type { HookConfig } from "../config/hook-config.ts";

/** How a hook went. */
export interface HookRun {
  name: string;
  kind: HookConfig["type"];
  ok: boolean;
  /** Why it was not run. */
  skipped?: string;
  durationMs: number;
  output: string;
  error?: string;
  exitCode?: number | null;
}
