import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { baton, git } from "./harness.ts";
import { obedient } from "./obedient.ts";
import type { WorkspaceOnly } from "./workspace-job.ts";
import { isThere, type WorktreeProject, worktreeProject } from "./worktree.ts";

export const BRANCH = "agent/coder/LIN-1";
export const item = { workItem: "LIN-1" };

/** Work of every kind: committed, changed, new and deleted. */
export const WORK =
  "echo 1 > one; git add one; git commit -qm One; echo 2 > two; echo '# more' >> baton.yaml; rm old";

export async function projectWithOld(options: { workspace?: string } = {}): Promise<WorktreeProject> {
  const project = await worktreeProject({ scenario: obedient(), ...options });
  await writeFile(join(project.folder, "old"), "old\n");
  await git(project.folder, "add", "-A");
  await git(project.folder, "commit", "-qm", "Something old");
  await git(project.folder, "push", "-q", "origin", "main");
  return project;
}

export async function leaveWork({ workspace }: WorkspaceOnly): Promise<void> {
  await git(workspace.path, "-c", `alias.work=!${WORK}`, "work");
}

/** What `baton restore` brings back of the newest checkpoint. */
export async function restored(project: WorktreeProject, id: string) {
  const into = join(project.folder, "..", "restored");
  expect((await baton(project, ["restore", id, "--to", into])).code).toBe(0);
  expect(await readFile(join(into, "one"), "utf8")).toBe("1\n");
  expect(await readFile(join(into, "two"), "utf8")).toBe("2\n");
  expect(await readFile(join(into, "baton.yaml"), "utf8")).toMatch(/# more\n$/);
  expect(await isThere(join(into, "old"))).toBe(false);
}

export async function allArrived({ remote }: WorktreeProject) {
  expect(await git(remote, "ls-tree", "--name-only", BRANCH)).toBe("baton.yaml\none\ntwo");
  expect(await git(remote, "show", `${BRANCH}:baton.yaml`)).toMatch(/# more$/);
  expect(await git(remote, "log", "--format=%s", BRANCH)).toMatch(/^agent: .*\nOne\nSomething old\nBegin$/);
}
