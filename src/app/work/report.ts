import type { Job } from "../../job/job.ts";
import { counted } from "../../util/figures.ts";
import { oneLine } from "../../util/printable.ts";

/** What the tracker is to show of an item: `label` for people who look at lists, `text` in Baton's one comment of the job. */
export interface Mark {
  job: string;
  label: "taken" | "ready" | "released" | "failed" | "delivered";
  text: string;
  /** The pull request, where there is one. */
  url?: string;
}

interface Failing {
  /** With this one. */
  attempts: number;
  most: number;
  /** Whether it is ready again. */
  again: boolean;
}

/** By which Baton finds its comment of a job again. */
export const markerOf = (job: string) => `baton:${job}`;

/** What is to be shown of the item of a job, as the job stands. */
export function markOf(job: Job, failing: Failing): Mark {
  switch (job.status) {
    case "completed":
      return {
        ...{ job: job.id, label: "delivered", text: delivered(job) },
        ...(job.workspace?.proposal && { url: job.workspace.proposal }),
      };
    case "failed": {
      const isLast = failing.attempts >= failing.most;
      const label = isLast ? "failed" : failing.again ? "ready" : "released";
      return { job: job.id, label, text: failed(job, failing) };
    }
    case "cancelled":
      return {
        job: job.id,
        label: "released",
        text: `${whose(job)} was cancelled.${where(job)}\n\nIt is not taken again until somebody marks it as ready.`,
      };
    case "created":
    case "queued":
      return {
        job: job.id,
        label: "taken",
        text: `${whose(job)} has it, and waits for its turn.${progress(job)}`,
      };
    case "paused":
      return {
        job: job.id,
        label: "taken",
        text: `${whose(job)} is paused: ${quoted(job.error)}. It continues when somebody lets it.${progress(job)}`,
      };
    case "running":
    case "waiting":
    case "interrupted":
      return { job: job.id, label: "taken", text: `${whose(job)} works on it.${progress(job)}` };
  }
}

function delivered(job: Job): string {
  const { workspace } = job;
  const handoffs = handoffsOf(job);
  const end = handoffs === "" ? "" : `\n\n${handoffs}`;
  if (workspace?.proposal) return `${whose(job)} is done: ${workspace.proposal}${end}`;
  if (workspace?.pushed)
    return `${whose(job)} is done. Its work is on the branch ${quoted(workspace.branch)}.${end}`;
  if (workspace?.branchKept) return `${whose(job)} is done.${where(job)}${end}`;
  return `${whose(job)} is done, and has published no changes.${end}`;
}

function failed(job: Job, { attempts, most, again }: Failing): string {
  const next =
    attempts >= most
      ? `That was attempt ${attempts} of ${most}: it is not taken again until somebody has looked at it.`
      : again
        ? `That was attempt ${attempts} of ${most}: it is ready to be tried again.`
        : `That was attempt ${attempts} of ${most}. It is not taken again until somebody marks it as ready.`;
  return `${whose(job)} failed: ${quoted(job.error)}.${where(job)}\n\n${next}`;
}

/** Of those who had it, the last was never heard of again. */
export function leftTooOften({ attempts, most }: Pick<Failing, "attempts" | "most">): string {
  return `Whoever worked on this was never heard of again. That was attempt ${attempts} of ${most}: it is not taken again until somebody has looked at it.`;
}

/** Where the work is that was not published. */
function where({ workspace, checkpoint }: Job): string {
  const branch = workspace?.branch && workspace.state !== "removed" ? workspace.branch : undefined;
  const kept = workspace?.branchKept ? workspace.branch : branch;
  const parts = [
    ...(kept ? [`on the branch ${quoted(kept)}`] : []),
    ...(checkpoint ? [`in the checkpoint ${quoted(checkpoint)}`] : []),
  ];
  return parts.length === 0 ? "" : `\n\nWhat it did is kept where it ran: ${parts.join(", and ")}.`;
}

function progress(job: Job): string {
  const branch = job.workspace?.branch ? `Branch: ${quoted(job.workspace.branch)}.` : "";
  const lines = [branch, handoffsOf(job)].filter(Boolean).join(" ");
  return lines === "" ? "" : `\n\n${lines}`;
}

function handoffsOf({ handoffs }: Job): string {
  return handoffs.length === 0 ? "" : `${counted(handoffs.length, "handoff")}.`;
}

const whose = ({ id, agent }: Job) => `Job ${quoted(id)} of ${quoted(agent)}`;

const MOST = 300;

/** As code, so that names and numbers in it call nobody and close nothing. */
function quoted(text: string | null | undefined): string {
  const line = oneLine(text ?? "nobody said why")
    .replaceAll("`", "'")
    .trim();
  return `\`${line.length > MOST ? `${line.slice(0, MOST)}…` : line}\``;
}
