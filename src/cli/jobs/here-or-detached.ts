import type { ReadyJob } from "../../app/jobs/ready-job.ts";
import type { Project } from "../../app/project.ts";
import { exitCodeOf } from "../exit.ts";
import { warnOfModel } from "./misspelt-names.ts";

export interface WhereOptions {
  config?: string;
  json?: boolean;
  /** Give the terminal back at once. */
  detach?: boolean;
  /** As it was typed for this job. */
  model?: string;
}

/** Before anything is asked or on record. */
export async function refuseWhere({ detach }: WhereOptions): Promise<void> {
  if (!detach) return;
  const { refuseToDetach } = await import("../../app/jobs/background/start.ts");
  refuseToDetach();
}

/** Shows a job on this terminal until it ends, or has it run without one. */
export async function runHereOrDetached(
  project: Project,
  job: ReadyJob,
  options: WhereOptions,
): Promise<number> {
  await warnOfModel(job.config, options);
  if (options.detach) {
    const { detach } = await import("./detach.ts");
    return detach(project, job, options);
  }
  const [{ drive }, { NeedYouTitle }] = await Promise.all([
    import("./drive.ts"),
    import("../inbox/title.ts"),
  ]);
  using _title = new NeedYouTitle([project], options);
  const ended = await drive(job, { json: options.json ?? false });
  return exitCodeOf(ended);
}
