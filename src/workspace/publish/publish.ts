import type { WorkspaceConfig } from "../../config/config.ts";
import { askGit, tryGit, zeroSeparated } from "../../git/git.ts";
import { gitHead } from "../../git/state.ts";
import type { Outcome, WorkspaceJob, Worktree } from "../workspace.ts";
import { closedBy } from "./closing-words.ts";
import { commitMessage, subjectOf } from "./commit-message.ts";
import { openPullRequest, pullRequestPushOptions } from "./pull-request.ts";
import { type ClosingCommit, closingWords, pullRequestText } from "./pull-request-text.ts";
import { isOnRemote, type Push, pushWithRetries } from "./push.ts";
import { commitRest } from "./staging.ts";

/** `pushFailure`: why it is not on the remote, where it should be. */
type Published =
  | { kind: "nothing" }
  | { kind: "published"; commit: string; branch: string; pushed: boolean; pushFailure?: string }
  | { kind: "refused"; reason: string };

interface Source {
  path: string;
  branch: string;
  base: string;
  worktree: Pick<Worktree, "repo" | "baseBranch">;
}

interface PublishOptions {
  sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Commits what the agent left, pushes its branch and opens a pull request, as far as the user wants that. `refused` says why
 * nothing was published, and what to do; the work is then as the agent left it. Can be done again.
 */
export async function publish(
  job: WorkspaceJob,
  workspace: Source,
  remote: string | undefined,
  config: WorkspaceConfig,
  outcome: Outcome,
  options: PublishOptions = {},
): Promise<Published> {
  const { path, worktree } = workspace;
  // All items of a tracker are asked for alike.
  const asked = (job.workItem?.source !== undefined && job.workItem.title) || job.prompt;
  const told = job.redact({ text: outcome.text, asked });
  const message = commitMessage(config.commitMessage, {
    summary: subjectOf(told.text) ? told.text : subjectOf(told.asked),
    agent: job.agent,
    jobId: job.id,
    workItem: job.workItem,
  });
  const rest = await commitRest(path, message, outcome.commands, {
    ...options,
    neverOnto: worktree.baseBranch,
    hooks: config.commitHooks,
    signal: job.lost,
  });
  job.lost.throwIfAborted();
  if (rest && "refused" in rest) return { kind: "refused", reason: rest.refused };
  if (rest) await job.record({ type: "workspace:committed", ...rest });

  const { head: commit, branch: current } = await gitHead(path);
  if (commit === undefined) return { kind: "refused", reason: `The worktree ${path} is not at any commit.` };
  const stranded = await strandedOn(workspace, current);
  if (stranded) return { kind: "refused", reason: stranded };
  if (!(await hasOwnCommits(workspace, remote))) return { kind: "nothing" };

  const branch = await branchFor(workspace, remote, { commit, current });
  if (branch === worktree.baseBranch) {
    const reason = `The work would go straight onto ${branch}, which it should be merged into. Give workspace.branch_pattern another name, and push ${commit} by hand.`;
    return { kind: "refused", reason };
  }
  if (branch !== current) {
    const moved = await tryGit(path, ["branch", "--force", "--no-track", "--", branch, commit]);
    if (!moved.ok)
      return { kind: "refused", reason: `${branch} cannot be moved to ${commit}: ${moved.said}` };
    if (current !== undefined) {
      job.warn(`The work was done on ${current}, which is not this job's: it is published as ${branch}.`);
    }
  }
  return deliver({ job, workspace, remote, config, outcome, options }, { commit, branch });
}

interface Delivery {
  job: WorkspaceJob;
  workspace: Source;
  remote: string | undefined;
  config: WorkspaceConfig;
  outcome: Outcome;
  options: PublishOptions;
}

async function deliver(
  { job, workspace, remote, config, outcome, options }: Delivery,
  { commit, branch }: { commit: string; branch: string },
): Promise<Published> {
  if (remote === undefined || !config.pushOnSuccess) {
    const why = remote === undefined ? "the repository has no remote" : "push_on_success is off";
    if (config.createPr) job.warn(`No pull request was opened for ${branch}: ${why}.`);
    return { kind: "published", commit, branch, pushed: false };
  }
  const { id, agent, env } = job;
  const signal = AbortSignal.any([job.signal, job.lost]);
  const { path: folder, worktree } = workspace;
  const closing = await closingCommits(workspace, remote, job.workItem);
  // Before any of it is cut short: half a secret would no longer be known as one.
  const told = job.redact({ result: outcome.text, prompt: job.prompt, workItem: job.workItem, closing });
  if (told.closing.length > 0) job.warn(`${branch}: ${closingWords(told.closing)}`);
  const text = pullRequestText({ ...told, branch, job: id, agent });
  const pullRequest = { folder, remote, branch, baseBranch: worktree.baseBranch, ...text, env, signal };
  const push: Push = {
    folder,
    root: worktree.repo,
    remote,
    commit,
    branch,
    env,
    hooks: config.commitHooks,
    options: config.createPr ? await pullRequestPushOptions(pullRequest) : [],
    signal,
  };
  const pushed = (await wasPushed(job, push, worktree.baseBranch))
    ? { ok: true as const, said: "" }
    : await pushNow();
  if (!pushed.ok) return { kind: "published", commit, branch, pushed: false, pushFailure: pushed.said };
  await job.record({ type: "workspace:pushed", remote, branch, commit });
  if (config.createPr) {
    await job.confirmItem?.();
    const opened = await openPullRequest({
      ...pullRequest,
      pushSaid: pushed.said,
      byApi: job.openPullRequest,
    });
    if ("problem" in opened) job.warn(opened.problem);
    const { url } = opened;
    const created = "created" in opened && opened.created;
    if (url !== undefined) await job.record({ type: "workspace:proposed", url, created });
  }
  return { kind: "published", commit, branch, pushed: true };

  async function pushNow() {
    await job.confirmItem?.();
    await job.record({ type: "workspace:pushing", remote: push.remote, branch, commit });
    return pushWithRetries(push, config.onPushFailure, { ...options, report: job.warn });
  }
}

/** By an earlier process of this job, which may have been killed before it could say so. */
async function wasPushed({ before }: WorkspaceJob, push: Push, baseBranch: string): Promise<boolean> {
  if (before?.pushed === push.commit) return true;
  return before?.pushing === push.commit && (await isOnRemote(push, baseBranch));
}

/** Commits of the job's own branch that would stay behind, since the agent went on elsewhere without them. */
async function strandedOn({ path, branch, base }: Source, current: string | undefined) {
  if (current === branch) return undefined;
  const own = `refs/heads/${branch}`;
  const count = await askGit(path, ["rev-list", "--count", own, "--not", "HEAD", base, "--"]);
  if (count === undefined || count === "0") return undefined;
  const commits = count === "1" ? "1 commit" : `${count} commits`;
  const where = current ?? "no branch";
  return (
    `${commits} on ${branch}, the job's branch, would be left out: its worktree ${path} is on ${where} and does not have them. ` +
    `Nothing was pushed. Bring them together there (\`git merge ${branch}\`), or check ${branch} out.`
  );
}

/** What the agent only pulled in from the base branch is not its own. */
function ownCommits({ base, worktree }: Source, remote: string | undefined): string[] {
  const upstream = remote === undefined ? [] : [`refs/remotes/${remote}/${worktree.baseBranch}`];
  return ["--ignore-missing", "HEAD", "--not", base, ...upstream, "--"];
}

async function hasOwnCommits(workspace: Source, remote: string | undefined): Promise<boolean> {
  return (await askGit(workspace.path, ["rev-list", "--count", ...ownCommits(workspace, remote)])) !== "0";
}

const MOST_COMMITS = 1_000;

/** Of the work on an item of a tracker: what a merge closes there besides the item, because a commit says so. */
async function closingCommits(
  workspace: Source,
  remote: string,
  workItem: WorkspaceJob["workItem"],
): Promise<ClosingCommit[]> {
  if (workItem?.source === undefined) return [];
  const own = [`#${workItem.id}`, workItem.id, workItem.url];
  const args = [
    "log",
    "-z",
    `--max-count=${MOST_COMMITS}`,
    "--format=%h%n%B",
    ...ownCommits(workspace, remote),
  ];
  return zeroSeparated((await askGit(workspace.path, args)) ?? "").flatMap((commit): ClosingCommit[] => {
    const [id = "", ...message] = commit.split("\n");
    const closes = [...new Set(closedBy(message.join("\n")))].filter((each) => !own.includes(each));
    return closes.length > 0 ? [{ id, closes }] : [];
  });
}

/**
 * The branch that the agent is on, where that is the job's or the agent's own. A branch that the remote has with
 * something else on it is other people's.
 */
async function branchFor(
  { path, branch, worktree }: Source,
  remote: string | undefined,
  { commit, current }: { commit: string; current: string | undefined },
): Promise<string> {
  if (current === undefined || current === worktree.baseBranch) return branch;
  if (current === branch || remote === undefined) return current;
  const there = await askGit(path, ["rev-parse", "--verify", "--quiet", `refs/remotes/${remote}/${current}`]);
  return there === undefined || there === commit ? current : branch;
}
