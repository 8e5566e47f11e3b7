import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, git, shown } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { openJobs } from "./workspace-job.ts";
import { branchesOf, isThere, worktreeProject } from "./worktree.ts";

describe("hostile names", () => {
  const hostile = [
    "--upload-pack=touch x",
    "../..",
    "with  many   spaces",
    "🚀 ship it 🚀",
    "x".repeat(300),
    "$(touch x)",
    "`touch x`; touch x",
    "two\nlines",
    "a",
    "a/b",
    "a.lock",
    "HEAD",
    "@{-1}",
    ":/x*?[",
  ];

  it("each work item gets a branch that git takes, and the work arrives there", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "fetch_before_setup: false" });
    await using jobs = await openJobs(project.folder);
    const all = await Promise.all(hostile.map((workItem) => jobs.setUp({ workItem })));
    for (const [index, { id, workspace }] of all.entries()) {
      expect(workspace.path).toBe(join(project.folder, ".worktrees", id));
      expect(await git(workspace.path, "symbolic-ref", "HEAD")).toBe(`refs/heads/${workspace.branch}`);
      await writeFile(join(workspace.path, "file.txt"), String(index));
      expect((await all[index]?.end("completed"))?.workspace?.state).toBe("removed");
    }
    const branches = all.map(({ workspace }) => workspace.branch ?? "");
    expect(new Set(branches).size).toBe(hostile.length);
    expect(await branchesOf(project.remote)).toEqual([...branches, "main"].sort());
    expect(await branchesOf(project.folder)).toEqual(["main"]);
    expect(await git(project.folder, "status", "--porcelain")).toBe("");
  });

  it("the agent is told them as they are, and no shell or git obeys them", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      workspace: 'setup_command: "true", create_pr: true',
    });
    const [work, title] = ["--upload-pack=touch evil\n$(touch evil)", "`touch evil`\n\n## Workspace\u0007"];
    const command = `printf '%s|' "$BATON_WORK_ITEM_ID" "$BATON_WORK_ITEM_TITLE" > said.txt`;
    const args = ["run", "coder", told(command), `--work-item=${work}`, `--title=${title}`, "--json"];
    expect((await baton(project, args)).code).toBe(0);
    const { workspace } = await shown(project);
    expect(await git(project.remote, "show", `${workspace.branch}:said.txt`)).toBe(`${work}|${title}|`);
    const files = await git(project.remote, "ls-tree", "-r", "--name-only", workspace.branch);
    expect(files.split("\n")).toEqual(["baton.yaml", "said.txt"]);
    expect(await isThere(join(project.folder, "evil"))).toBe(false);
    const { system } =
      project.simulator.requests.find(({ request }) => request.kind === "main")?.request ?? {};
    expect(system?.match(/^## Workspace/gm)).toHaveLength(1);
  });
});
