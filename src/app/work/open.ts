import type { AgentConfig } from "../../config/config.ts";
import type { WorkSourceConfig } from "../../config/work-source.ts";
import { CommentRegister } from "../../sources/claims/comment-register.ts";
import { GitRegister } from "../../sources/claims/git-register.ts";
import type { Register } from "../../sources/claims/register.ts";
import { githubName } from "../../sources/github/github.ts";
import { openGitHub } from "../../sources/github/open.ts";
import { linearName } from "../../sources/linear/linear.ts";
import { openLinear } from "../../sources/linear/open.ts";
import type { Source } from "../../sources/source.ts";
import { openRepository } from "../../workspace/worktrees/repository.ts";
import { UsageError } from "../usage-error.ts";

/** Opens a tracker. Nothing is asked of it yet. */
export function openSource(config: WorkSourceConfig, env: Record<string, string>): Source {
  return config.type === "github" ? openGitHub(config, env) : openLinear(config, env);
}

/** Its name, for which nothing has to be opened. */
export function sourceName(config: WorkSourceConfig): string {
  return config.type === "github"
    ? githubName(config.repo, config.apiUrl)
    : linearName(config.team, new URL(config.apiUrl));
}

/** Twice the longest that a read of GitHub's is believed to be behind, and some more. */
const SEEN_BY_ALL_MS = 10_000;

interface WhereClaimed {
  agent: AgentConfig;
  source: Source;
  config: Pick<WorkSourceConfig, "claims">;
  env: Record<string, string>;
  signal: AbortSignal;
  waitMs?: number;
}

/** Where the claims of an agent's items stand: in the remote that its work goes to, or at the items themselves. */
export async function openRegister(where: WhereClaimed): Promise<Register> {
  const { agent, source, config, env, signal, waitMs = SEEN_BY_ALL_MS } = where;
  if (config.claims === "comments") {
    return new CommentRegister({ comments: source.claimComments(), source: source.name, waitMs });
  }
  const { root, remote } = await openRepository(agent, signal);
  if (remote === undefined) {
    throw new UsageError(
      `${root} has no remote in which items could be claimed. Add one: git remote add origin …`,
    );
  }
  return new GitRegister({ root, remote, source: source.name, env });
}
