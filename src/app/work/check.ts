import { ownEnvironment } from "../../agents/own-environment.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError, type Problem } from "../../config/error.ts";
import type { WrittenSource } from "../../config/work-source.ts";
import { tryGit } from "../../git/git.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { messageOf } from "../../util/errors.ts";
import { openRepository } from "../../workspace/worktrees/repository.ts";
import { openSource } from "./open.ts";

const LIMIT_MS = 60_000;

/** `passes`: it may be over by itself. */
type WorkProblem = Problem & { passes?: true };

/** What keeps work from being taken, as the trackers and the remotes themselves say, each with its line and what to do. */
export async function checkWork(
  { agents, workSources }: Config,
  env: Record<string, string> = ownEnvironment(),
): Promise<WorkProblem[]> {
  const found = await Promise.all(
    workSources.map(async (written) => {
      const agent = agents.find(({ name }) => name === written.agent);
      const isInRemote = written.source.claims === "refs";
      const ofRemote = agent && isInRemote ? await remoteProblem(written, agent) : [];
      return [...(await trackerProblems(written, env)), ...ofRemote];
    }),
  );
  return found.flat();
}

/** Refuses what will not be better by itself. */
export async function refuseHopelessWork(config: Config, env?: Record<string, string>): Promise<void> {
  const problems = (await checkWork(config, env)).filter(({ passes }) => !passes);
  if (problems.length > 0) throw new ConfigError(problems);
}

async function trackerProblems(written: WrittenSource, env: Record<string, string>): Promise<WorkProblem[]> {
  try {
    const source = openSource(written.source, env);
    const findings = await source.check(AbortSignal.timeout(LIMIT_MS), written.source);
    return findings.map(({ key, problem, remedy, passes }) => ({
      ...at(written, key, problem, remedy),
      ...(passes && { passes }),
    }));
  } catch (error) {
    return [at(written, "auth", messageOf(error), "Correct what it names, then try again.")];
  }
}

/**
 * Claims are refs of the remote that the work goes to. That one may push there is asked without pushing anything. A remote that
 * can be read and takes no push will not take one later.
 */
async function remoteProblem(
  written: WrittenSource,
  agent: Config["agents"][number],
): Promise<WorkProblem[]> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const { root, remote } = await openRepository(agent, signal);
    if (remote === undefined) {
      return [
        at(
          written,
          "repo",
          `${root} has no remote in which items could be claimed`,
          "Add one: git remote add origin …",
        ),
      ];
    }
    const args = ["push", "--dry-run", "--porcelain", "--no-verify", "--", remote];
    const asked = await tryGit(root, [...args, "HEAD:refs/baton/claims/check"], {
      timeoutMs: LIMIT_MS,
      signal,
    });
    if (asked.ok) return [];
    const why = withoutCredentials(asked.said).split("\n")[0] ?? "";
    const problem = `Items cannot be claimed, because nothing can be pushed to ${remote}: ${why}`;
    const remedy = "Let git push there without a question, and try again.";
    const read = await tryGit(root, ["ls-remote", "--", remote, "HEAD"], { timeoutMs: LIMIT_MS, signal });
    return [{ ...at(written, "repo", problem, remedy), ...(!read.ok && { passes: true }) }];
  } catch (error) {
    return [at(written, "repo", messageOf(error), "Items are claimed in the remote of that repository.")];
  }
}

function at({ agent, place, keys }: WrittenSource, key: string, problem: string, remedy: string): Problem {
  const where = keys[key] ?? keys[key.split(".")[0] ?? ""] ?? place;
  return { ...where, message: `work_source of agent "${agent}": ${problem}`, fix: remedy };
}
