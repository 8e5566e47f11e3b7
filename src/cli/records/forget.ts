import { findProject, openStoreOfJobs } from "../../app/project.ts";
import { type Forgettable, forget as forgetOne, forgettable } from "../../app/records/forget.ts";
import { UsageError } from "../../app/usage-error.ts";
import { printJson, printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { headline } from "../../display/words.ts";
import { counted } from "../../util/figures.ts";
import { saysYes } from "../config/agree.ts";
import { BrokenOffError } from "../exit.ts";

export interface ForgetOptions {
  config?: string;
  json?: boolean;
  yes?: boolean;
}

/** Removes the records of jobs that are over, each as a whole. */
export async function forget(names: string[], options: ForgetOptions): Promise<number> {
  await using store = await openStoreOfJobs(findProject(options));
  const found = new Map<string, Forgettable>();
  for (const name of names) {
    const one = await forgettable(store, name);
    found.set(one.job.id, one);
  }
  const all = [...found.values()];
  if (!options.yes) await confirm(all, options);
  for (const one of all) await forgetOne(store, one);
  if (options.json) printJson(all.map(({ job }) => job.id));
  else for (const { job } of all) printWords(`${job.id} is forgotten.`);
  return 0;
}

const LONGEST_PROMPT = 60;

async function confirm(all: readonly Forgettable[], { json }: ForgetOptions): Promise<void> {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError("There is no terminal to ask you on. Agree with: baton forget --yes");
  }
  for (const one of all) printWords(inWords(one));
  const them = all.length === 1 ? "it" : `these ${all.length} jobs`;
  if (!(await saysYes(`Forget ${them}? This deletes its journal and figures. [y/N] `)))
    throw new BrokenOffError("Nothing was forgotten.");
}

function inWords({ job, documents, checkpoints, branch, isUnfinished }: Forgettable): string {
  const stays = [
    ...(documents.length > 0 ? [counted(documents.length, "handoff document")] : []),
    ...(checkpoints > 0 ? [`${counted(checkpoints, "checkpoint")} in git`] : []),
    ...(branch ? [`the branch ${oneLine(branch)}`] : []),
  ];
  return [
    `${job.id} (${job.status}): ${fitted(oneLine(headline(job)), LONGEST_PROMPT)}`,
    ...(isUnfinished ? ["  It is not done, and cannot be resumed afterwards."] : []),
    ...(stays.length > 0 ? [`  These stay: ${stays.join(", ")}.`] : []),
  ].join("\n");
}
