import { existsSync } from "node:fs";
import { askGit } from "../../../git/git.ts";
import { parseDocument } from "../../../handoff/document.ts";
import { isFile } from "../../../handoff/history.ts";
import { readDocumentText } from "../../../handoff/read-document.ts";
import type { Continued, ForkPoint } from "../../../job/events.ts";
import type { HandoffRecord, Job } from "../../../job/job.ts";
import { documentOf } from "../../../jobs/end/archive.ts";
import { newJobId } from "../../../jobs/new-id.ts";
import { findJob } from "../../../store/jobs.ts";
import type { Store } from "../../../store/store.ts";
import { given } from "../../../util/given.ts";
import {
  isOwnCheckpoint,
  keepCommit,
  listCheckpoints,
  makeCheckpoint,
} from "../../../workspace/checkpoint.ts";
import { openStoreOfJobs, type Project } from "../../project.ts";
import { UsageError } from "../../usage-error.ts";
import { factsOf } from "../continue-from.ts";
import { eventsSoFar } from "../follow.ts";
import { readyAgent } from "../ready.ts";
import { type ReadyJob, readyIn, recordedIn } from "../ready-job.ts";
import { type AgainOptions, configAgain, continuedBy, originAgain, refuseChat } from "./retry.ts";

/** A moment of a job, by a number of its own. */
export interface ForkFrom {
  kind: "handoff" | "checkpoint";
  number: number;
}

interface ForkOptions extends AgainOptions {
  /** Without it, as the job stands now. */
  from?: ForkFrom | undefined;
  /** What to do differently: it is added to the prompt. */
  says?: string | undefined;
}

/**
 * Puts a new job on record that continues another's work in a worktree of its own, from a handoff, a checkpoint, or as it stands.
 * The other one may be at work: nothing of it changes.
 */
export async function forkOf(project: Project, named: string, options: ForkOptions = {}): Promise<ReadyJob> {
  return readyIn(await openStoreOfJobs(project), async (store) => {
    const parent = await findJob(store, named);
    refuseChat(parent, "fork");
    const chosen = { ...options.chosen, worktree: true as const };
    const config = await configAgain(project, parent, { ...options, chosen });
    const agent = await readyAgent(config, parent.agent);
    const moment = await momentOf(store, parent, options.from);
    // What the new job begins with is kept in its own name, before it is on record: the parent's may go any time.
    const id = newJobId();
    const point = await keptFor(id, parent, moment.checkpoint);
    const continues = await continuedFrom(store, parent, moment.handoff, options.from);
    const { workItem, ...again } = await originAgain(config, parent);
    // The item stays with the job that it was forked from: its tracker is told nothing of a fork.
    const { source: _, ...item } = workItem ?? { id: "" };
    const origin = { ...again, ...(workItem && { workItem: item }), ...given({ continues }) };
    const { handoff, checkpoint } = moment;
    const numbers = given({ handoff: handoff?.number, checkpoint });
    const job = await recordedIn(project, store, {
      origin: { ...origin, parent: { job: parent.id, by: "fork", ...point, ...numbers } },
      agent,
      prompt: options.says === undefined ? parent.prompt : `${parent.prompt}\n\n${options.says}`,
      id,
    });
    return { config: agent, maintenance: config.maintenance, job };
  });
}

/** Which tree of the parent, and the document that tells of the work in it. Without a number, the tree as it stands. */
interface Moment {
  checkpoint?: number;
  handoff?: HandoffRecord;
}

async function momentOf(store: Store, parent: Job, from: ForkFrom | undefined): Promise<Moment> {
  const { id, handoffs } = parent;
  if (from === undefined) return given({ handoff: handoffs.at(-1) });
  const keptAt = await checkpointsOfHandoffs(store, id);
  if (from.kind === "checkpoint") {
    const before = handoffs.findLast(({ number }) => (keptAt.get(number) ?? Infinity) <= from.number);
    return { checkpoint: from.number, ...given({ handoff: before }) };
  }
  const handoff = handoffs.find(({ number }) => number === from.number);
  const known = handoffs.map(({ number }) => number).join(", ") || "none";
  if (!handoff) throw new UsageError(`${id} has no handoff ${from.number}. It has: ${known}.`);
  const checkpoint = keptAt.get(from.number);
  if (checkpoint !== undefined) return { checkpoint, handoff };
  throw new UsageError(
    `No checkpoint of ${id} is on record for handoff ${from.number}, so its files of then cannot be had. Fork from a checkpoint: baton checkpoints ${id}`,
  );
}

/** The number of the checkpoint that was made for each handoff: the last before its document was stored. */
async function checkpointsOfHandoffs(store: Store, job: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  let newest: number | undefined;
  for await (const event of eventsSoFar(store, job, 0)) {
    if (event.type === "checkpoint") newest = Number(event.ref.split("/").at(-1));
    if (event.type === "handoff:stored" && newest !== undefined) found.set(event.handoffNumber, newest);
  }
  return found;
}

async function keptFor(id: string, parent: Job, number: number | undefined): Promise<ForkPoint> {
  const { workspace } = parent;
  if (workspace === null)
    throw new UsageError(`${parent.id} has not begun, so there is nothing to fork: baton retry ${parent.id}`);
  const repository = workspace.repo ?? workspace.path;
  const kept = await treeOf(id, parent, { repository, number });
  const revision = (await isOwnCheckpoint(repository, kept.commit)) ? `${kept.commit}^` : kept.commit;
  const head = await askGit(repository, ["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]);
  if (head === undefined)
    throw new UsageError(
      `${repository} has no commit yet, so a worktree cannot be made from it. Commit first.`,
    );
  const baseBranch = (workspace.repo === null ? workspace.branch : workspace.baseBranch) ?? undefined;
  return {
    commit: kept.commit,
    head,
    folder: workspace.path,
    ...given({ base: workspace.base ?? undefined, baseBranch }),
  };
}

async function treeOf(
  id: string,
  parent: Job,
  { repository, number }: { repository: string; number: number | undefined },
): Promise<{ commit: string }> {
  const { path = repository, state } = parent.workspace ?? {};
  const isThere = state !== "removed" && state !== "removing" && existsSync(path);
  if (number === undefined && isThere) {
    const made = await makeCheckpoint(path, id, `${id}: forked from ${parent.id}`);
    if (made) return made;
    throw new UsageError(`${path} is not in a git repository, so ${parent.id} cannot be forked.`);
  }
  const list = await listCheckpoints(repository, parent.id);
  const wanted = number === undefined ? list.at(-1) : list.find((one) => one.number === number);
  if (wanted) return keepCommit(repository, id, wanted.commit);
  const known = list.map((one) => one.number).join(", ") || "none";
  throw new UsageError(`${parent.id} has no checkpoint ${number ?? "that is left"}. It has: ${known}.`);
}

async function continuedFrom(
  store: Store,
  parent: Job,
  handoff: HandoffRecord | undefined,
  from: ForkFrom | undefined,
): Promise<Continued | undefined> {
  if (!handoff) return continuedBy(store, parent);
  const document = await documentOf(handoff);
  if (await isFile(document)) {
    const facts = await factsOf(parseDocument(readDocumentText(document)), parent, store);
    return { document, recorded: true, ...given({ facts }) };
  }
  if (from?.kind !== "handoff") return continuedBy(store, parent);
  throw new UsageError(
    `The document of handoff ${handoff.number} of ${parent.id} is deleted: archived ones are kept for handoff.retention_days.`,
  );
}
