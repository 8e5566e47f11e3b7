import { onTestFinished } from "vitest";
import { createRepository, write } from "./job-worktree.ts";
import { openJobs, type WorkspaceOnly } from "./workspace-job.ts";

/** A repository whose agent works in worktrees, without an agent. `workspace`: more keys, as in a YAML flow map. */
export async function worktreeRepository(workspace = "") {
  const { repo, remoteFolder } = await createRepository();
  const keys = ["strategy: git_worktree", "fetch_before_setup: false", workspace].filter(Boolean).join(", ");
  await write(repo, { "baton.yaml": `agents: [{ name: coder, workspace: { ${keys} } }]\n` });
  const jobs = await openJobs(repo);
  onTestFinished(() => jobs[Symbol.asyncDispose]());
  /** A job with a file in its worktree that is not committed. */
  const jobOn = async (workItem: string): Promise<WorkspaceOnly> => {
    const job = await jobs.setUp({ workItem });
    await write(job.workspace.path, { "work.txt": "done\n" });
    return job;
  };
  return { repo, remoteFolder, jobOn };
}
