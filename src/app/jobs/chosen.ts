import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig } from "../../config/config.ts";
import { userConfigPath } from "../../config/find.ts";
import { checkoutOf } from "../../git/checkout.ts";
import type { Job } from "../../job/job.ts";
import { money } from "../../util/figures.ts";
import { UsageError } from "../usage-error.ts";

/** Refuses what cannot be had, before anything starts. `agent`: as it is with what was chosen. */
export async function refuseChosen(chosen: Chosen, agent: AgentConfig): Promise<void> {
  refuseBeyondMaximums(chosen, agent);
  if (!chosen.worktree) return;
  const { workingDirectory, repository } = agent;
  if (repository.cloneFrom !== undefined) return;
  if (await checkoutOf(workingDirectory).catch(() => undefined)) return;
  throw new UsageError(
    `--worktree needs a git repository, and ${workingDirectory} is not in one.\nMake it one with \`git init\` and a first commit, or leave --worktree out.`,
  );
}

/** A job cannot change the folder that it has worked in. */
export function refuseOtherFolder({ worktree }: Chosen, { id, workspace }: Job): void {
  if (!worktree || workspace === null || workspace.strategy === "git_worktree") return;
  throw new UsageError(
    `${id} works in ${workspace.path}, so it can no longer get a worktree. Leave out --worktree, or start another job with it.`,
  );
}

function refuseBeyondMaximums({ permissionMode, maxCostUsd }: Chosen, agent: AgentConfig): void {
  const { costUsd } = agent.limits;
  const where = `in ${userConfigPath()}`;
  if (permissionMode !== undefined && agent.permissionMode !== permissionMode) {
    throw new UsageError(
      `--permission-mode ${permissionMode} is more than you allow: maximums.permission_mode ${where} makes it ${agent.permissionMode}.`,
    );
  }
  if (maxCostUsd !== undefined && costUsd !== undefined && costUsd < maxCostUsd) {
    throw new UsageError(
      `--max-cost ${maxCostUsd} is more than you allow: maximums.limits.cost_usd ${where} is ${money(costUsd)}.`,
    );
  }
}
