import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceRecord } from "../src/workspace/workspace.ts";
import { baton, git, type ProjectOptions, type TestProject, testProject } from "./harness.ts";
import { addOrigin } from "./repository.ts";

export interface WorktreeProject extends TestProject {
  /** A bare repository, `origin` of the project. */
  remote: string;
}

/** A project whose agent works in worktrees, with a remote. `workspace`: more keys, as in a YAML flow map. */
export async function worktreeProject(
  options: ProjectOptions & { workspace?: string },
): Promise<WorktreeProject> {
  const { workspace = "", agent = "", ...rest } = options;
  const keys = ["strategy: git_worktree", workspace].filter(Boolean).join(", ");
  const project = await testProject({ ...rest, agent: `workspace: { ${keys} }\n${agent}` });
  const remote = join(project.folder, "..", "remote.git");
  await addOrigin(project.folder, remote);
  return { ...project, remote };
}

export async function branchesOf(repository: string): Promise<string[]> {
  const listed = await git(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads");
  return listed.split("\n").filter(Boolean);
}

/** The folders of worktrees that are there. */
export async function worktreesIn(project: TestProject): Promise<string[]> {
  const names = await readdir(join(project.folder, ".worktrees")).catch(() => []);
  return names.filter((name) => !name.startsWith("."));
}

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export interface ListedWorktree extends Pick<WorkspaceRecord, "path" | "branch"> {
  job: string;
  status: string;
  has: "worktree" | "branch";
  action: string;
  reason: string;
}

export async function listedWorktrees(project: TestProject): Promise<ListedWorktree[]> {
  return JSON.parse((await baton(project, ["worktrees", "--json"])).stdout);
}
