import { oneLine } from "../../util/printable.ts";
import type { WorkItem, Workspace } from "../workspace.ts";

/** What tells the agent, its tools and the user's commands where they are. `prefix` is without its underscore. */
export function workspaceEnvironment(
  prefix: string,
  { strategy, path, branch, worktree }: Workspace,
  workItem: WorkItem | undefined,
): Record<string, string> {
  const named = (values: Record<string, string | undefined>) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [[`${prefix}_${name}`, value]],
      ),
    );
  // Always set: a script that asks for unset variables to fail has none to fall over.
  const item = { WORK_ITEM_ID: workItem?.id ?? "", WORK_ITEM_TITLE: workItem?.title ?? "" };
  if (!worktree) return named({ WORKSPACE_STRATEGY: strategy, ...item });
  const { repo, baseBranch, ports } = worktree;
  return named({
    WORKSPACE_STRATEGY: strategy,
    WORKTREE_PATH: path,
    WORKTREE_BRANCH: branch,
    WORKTREE_BASE_BRANCH: baseBranch,
    REPO_ROOT: repo,
    ...item,
    ...(ports.length > 0 && { PORTS: ports.join(" ") }),
    ...Object.fromEntries(ports.map((port, index) => [`PORT_${index + 1}`, String(port)])),
  });
}

/** For the end of the agent's system prompt. Undefined where its folder is the user's own. */
export function workspaceSection(
  { path, branch, worktree }: Workspace,
  workItem: WorkItem | undefined,
  forked?: { job: string; folder: string },
): string | undefined {
  if (!worktree) return undefined;
  const { repo, baseBranch, ports } = worktree;
  // What a tracker calls it anybody may have written: that stands in the frame of the prompt, and not here.
  const title = workItem?.title && !workItem.source ? ` (${shortLine(workItem.title)})` : "";
  const lines = [
    "## Workspace",
    "",
    "You work in a git worktree that was made for this job.",
    `- Worktree: ${path}`,
    `- Branch: ${branch ?? "none"}, based on ${baseBranch}`,
    ...(workItem ? [`- Work item: ${shortLine(workItem.id)}${title}`] : []),
    ...(ports.length > 0 ? [`- Ports reserved for you: ${ports.join(", ")}`] : []),
    "",
    `Make all changes inside this worktree and on this branch: other jobs work in the same repository (${repo}) at the same time. ` +
      "Commit when a step is done. What is left uncommitted at the end is committed for you, and the branch is pushed by Baton: do not push it yourself.",
    ...(forked
      ? [
          "",
          `This job was forked from ${forked.job}, and its worktree began with the files that one had. What was written or said before about a path ` +
            `in ${oneLine(forked.folder)} is about the same path in your worktree. Change nothing in ${oneLine(forked.folder)}: ${forked.job} may be working there. ` +
            "See what is done already with git log, git status and git diff before you begin.",
        ]
      : []),
  ];
  return lines.join("\n");
}

function shortLine(text: string): string {
  return oneLine(text).slice(0, 200);
}
