import type { Job } from "../job/job.ts";

/** What scripts can rely on. */
export const EXIT = { completed: 0, failed: 1, usage: 2, paused: 3, denied: 4, cancelled: 130 } as const;

export function exitCodeOf({ status, denied = [] }: Pick<Job, "status" | "denied">): number {
  switch (status) {
    case "completed":
      return denied.length > 0 ? EXIT.denied : EXIT.completed;
    case "paused":
      return EXIT.paused;
    case "cancelled":
      return EXIT.cancelled;
    case "created":
    case "queued":
    case "running":
    case "waiting":
    case "failed":
    case "interrupted":
      return EXIT.failed;
  }
}

/** The user broke a command off. */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
}

/** By name, because to import them would load what the command at hand does not need. */
const refusals = new Set([
  "ConfigError",
  "UsageError",
  "UnknownAgentError",
  "JobNotFoundError",
  "AmbiguousJobError",
  "JobOwnedError",
  "ScenarioError",
  "SimulatorPortError",
  "TrustRecordError",
  "UntrustedError",
]);

export function exitCodeOfError(error: unknown): number {
  if (error instanceof BrokenOffError) return EXIT.cancelled;
  return error instanceof Error && refusals.has(error.name) ? EXIT.usage : EXIT.failed;
}
