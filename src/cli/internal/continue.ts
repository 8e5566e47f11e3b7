import { jobOfSession, tellOfJob } from "../../app/sessions/as-job.ts";
import { printJson } from "../../display/print.ts";
import { exitCodeOf } from "../exit.ts";

/** What the cycle of a session starts that has no terminal of its own to continue in. The first line says which job, or why none. */
export async function internalContinue(session: string): Promise<number> {
  const found = await jobOfSession(session);
  if ("refused" in found) {
    printJson(found);
    return 0;
  }
  await using job = found.job;
  const { drive } = await import("../jobs/drive.ts");
  const { model, permissionMode } = found.chosen;
  printJson({ job: job.job, model, permissionMode });
  const ended = await drive(job, { json: true });
  await tellOfJob(session, ended);
  return exitCodeOf(ended);
}
