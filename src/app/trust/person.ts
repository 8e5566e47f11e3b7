import { isOfJob } from "../../processes/inside-job.ts";
import { UsageError } from "../usage-error.ts";

/** An agent must not agree to what it wrote itself. */
export function refuseInsideAgent(): void {
  if (!isOfJob(process.env)) return;
  throw new UsageError("Only a person can trust a project, and this process belongs to a job.");
}
