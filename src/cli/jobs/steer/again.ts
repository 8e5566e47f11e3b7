import { enqueueReady } from "../../../app/fleet/enqueue.ts";
import type { ReadyJob } from "../../../app/jobs/ready-job.ts";
import { type ForkFrom, forkOf } from "../../../app/jobs/steer/fork.ts";
import { retryOf } from "../../../app/jobs/steer/retry.ts";
import { findProject, type Project } from "../../../app/project.ts";
import { UsageError } from "../../../app/usage-error.ts";
import { given } from "../../../util/given.ts";
import { agreeFirst } from "../../config/agree.ts";
import { sayEnqueued } from "../../fleet/enqueued.ts";
import { placeIn, type QueueOptions, refusePlace } from "../../fleet/place.ts";
import { type ChosenOptions, chosenIn } from "../chosen.ts";
import { refuseWhere, runHereOrDetached, type WhereOptions } from "../here-or-detached.ts";
import { textOn } from "../prompt.ts";

export interface AgainOptions extends ChosenOptions, WhereOptions, QueueOptions {}

export interface ForkOptions extends AgainOptions {
  from?: string[];
}

export async function retry(named: string, options: AgainOptions): Promise<number> {
  return again(options, (project) => retryOf(project, named, { ...options, ...chosenIn(options) }));
}

export async function fork(words: string[], options: ForkOptions): Promise<number> {
  const [named, word, ...more] = words;
  if (named === undefined) throw new UsageError("Which job? `baton jobs` lists them: baton fork <job>");
  if (more.length > 0) {
    const quoted = words.slice(1).join(" ");
    throw new UsageError(`Too many words. Put the message in quotes: baton fork ${named} "${quoted}"`);
  }
  const from = options.from && momentIn(options.from);
  const says = word === undefined ? undefined : await textOn(word);
  return again(options, (project) =>
    forkOf(project, named, { ...options, ...chosenIn(options), from, says }),
  );
}

/** As it is typed: `handoff 2`. */
function momentIn([kind, number, ...more]: string[]): ForkFrom {
  const isKnown = kind === "handoff" || kind === "checkpoint";
  if (isKnown && /^[1-9]\d*$/.test(number ?? "") && more.length === 0)
    return { kind, number: Number(number) };
  const message = more.length > 0 ? " What to tell the new job comes before --from." : "";
  throw new UsageError(`--from takes a moment of the job: handoff <n> or checkpoint <n>.${message}`);
}

/** By the fleet where one runs: a job beside it would take a slot that it does not know of. */
async function again(options: AgainOptions, ready: (project: Project) => Promise<ReadyJob>): Promise<number> {
  await refuseWhere(options);
  refusePlace(options);
  const project = findProject(options);
  await agreeFirst(project, options);
  await using job = await ready(project);
  const isOwn = options.config !== undefined && !options.queue;
  const how = { ...given({ always: options.queue }), ...placeIn(options) };
  const enqueued = isOwn ? undefined : await enqueueReady(project, job, how);
  if (enqueued) return sayEnqueued(enqueued, options);
  return await runHereOrDetached(project, job, options);
}
