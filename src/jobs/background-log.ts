import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "../files/state-folder.ts";

/** Gets what the process of a job in the background prints: what happens in the job, and what went wrong with Baton itself. */
export function logFor(job: string): string {
  if (!/^[a-z0-9-]+$/.test(job)) throw new Error(`${job} is no id of a job.`);
  return join(stateFolder(), "background", `${job}.log`);
}

/** The same, of a job that has run in the background. */
export function logOf({ id }: { id: string }): string | undefined {
  if (!/^[a-z0-9-]+$/.test(id)) return undefined;
  const path = logFor(id);
  return existsSync(path) ? path : undefined;
}

export async function removeLog(job: { id: string }): Promise<void> {
  const path = logOf(job);
  if (path !== undefined) await rm(path, { force: true });
}
