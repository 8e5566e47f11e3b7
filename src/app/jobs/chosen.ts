import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig } from "../../config/config.ts";
import { userConfigPath } from "../../config/find.ts";
import { refusalsOf } from "../../config/runtimes/refuse.ts";
import { abilitiesOf } from "../../config/runtimes/runtimes.ts";
import { checkoutOf } from "../../git/checkout.ts";
import type { Job } from "../../job/job.ts";
import { money } from "../../util/figures.ts";
import { given } from "../../util/given.ts";
import { UsageError } from "../usage-error.ts";

/** Refuses what cannot be had, before anything starts. `agent`: as it is with what was chosen. */
export async function refuseChosen(chosen: Chosen, agent: AgentConfig): Promise<void> {
  refuseBeyondMaximums(chosen, agent);
  refuseUnhonoured(chosen, agent);
  if (!chosen.worktree) return;
  const { workingDirectory, repository } = agent;
  if (repository.cloneFrom !== undefined) return;
  if (await checkoutOf(workingDirectory).catch(() => undefined)) return;
  throw new UsageError(
    `--worktree needs a git repository, and ${workingDirectory} is not in one.\nMake it one with \`git init\` and a first commit, or leave --worktree out.`,
  );
}

/** What the runtime of an agent cannot do that takes part in the job. */
export function refuseUnhonoured(
  { permissionMode, maxCostUsd, model: chosen }: Chosen,
  agent: AgentConfig,
): void {
  const { name, runtime, command, prices, model } = agent;
  const isAsked = maxCostUsd !== undefined || chosen !== undefined;
  const [refusal] = refusalsOf(runtime, abilitiesOf(runtime, command), {
    prices,
    ...given({ permission_mode: permissionMode, model }),
    limits: isAsked ? given({ cost_usd: agent.limits.costUsd }) : {},
  });
  if (!refusal) return;
  const cost = maxCostUsd === undefined ? `--model ${chosen}` : `--max-cost ${maxCostUsd}`;
  const flag = refusal.path[0] === "limits" ? cost : `--permission-mode ${permissionMode}`;
  throw new UsageError(`The agent "${name}" cannot honour ${flag}: ${refusal.because}.\n${refusal.fix}.`);
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
