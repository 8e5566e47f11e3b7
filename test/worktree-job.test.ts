import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, git, inSmallWindows, ofType, shown, smallWindows } from "./harness.ts";
import { branchesOf, isThere, listedWorktrees, worktreeProject, worktreesIn } from "./worktree.ts";

it("a job works in its own worktree over two sessions, and its work arrives at the remote", {
  tags: ["claude"],
}, async () => {
  const project = await worktreeProject({
    scenario: inSmallWindows(6),
    agent: `session: { ${smallWindows} }`,
  });
  const ran = await baton(project, ["run", "coder", "Write the files.", "--work-item", "LIN-42", "--json"]);
  expect(ran.code).toBe(0);
  const job = await shown(project);
  expect(job.sessions).toHaveLength(2);
  const { system = "" } = project.simulator.requests.at(-1)?.request ?? {};
  expect(system).toContain(`- Worktree: ${job.workspace.path}`);
  expect(job.workspace).toMatchObject({ branch: "agent/coder/LIN-42", state: "removed" });
  expect(ofType(ran.events, "workspace:ready")).toHaveLength(1);
  const files = await git(project.remote, "ls-tree", "--name-only", "agent/coder/LIN-42");
  expect(files.split("\n")).toEqual(expect.arrayContaining(["step-1.txt", "step-6.txt"]));
  expect(await git(project.remote, "log", "-1", "--format=%s", "agent/coder/LIN-42")).toMatch(
    /^agent: LIN-42: /,
  );
  expect(await branchesOf(project.folder)).toEqual(["main"]);
  expect(await worktreesIn(project)).toEqual([]);
  expect(await git(project.folder, "status", "--porcelain")).toBe("");
  expect(await listedWorktrees(project)).toEqual([]);
  expect(await isThere(job.workspace.path)).toBe(false);
});

it("a job without changes leaves no branch behind", async () => {
  const project = await worktreeProject({
    scenario: { ...steady({ steps: 1 }), steps: [{ say: "Nothing to do." }] },
  });
  expect((await baton(project, ["run", "coder", "Look.", "--json"])).code).toBe(0);
  expect(await branchesOf(project.folder)).toEqual(["main"]);
  expect(await branchesOf(project.remote)).toEqual(["main"]);
});
