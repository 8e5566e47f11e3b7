import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, git, ofType, shown, stepsDone, type TestProject, testProject, upTo } from "./harness.ts";

const silent = { name: "silent", summary: "is never asked" };

const modelsAsked = ({ simulator }: TestProject) => [
  ...new Set(simulator.requests.map(({ request }) => request.model)),
];

it("holds to what was chosen at the start of a job, and keeps it when the job is resumed", async () => {
  const project = await testProject({
    scenario: steady({ steps: 6, factor: 10, outputCharacters: 4_000 }),
    agent: "permission_mode: plan",
  });
  const above = { ...project, folder: join(project.folder, "..") };
  const chosen = [
    "--model",
    "claude-opus-4-5",
    "--max-cost",
    "0.05",
    "--permission-mode",
    "bypassPermissions",
  ];
  const first = await baton(above, ["-C", "project", "run", "coder", "Write.", "--json", ...chosen]);
  expect(first.code).toBe(3);
  expect(ofType(first.events, "job:paused")).toMatchObject([{ code: "limit_reached" }]);
  const paused = await shown(project);
  expect(paused.error).toMatch(/limits\.cost_usd is 0\.05/);
  expect(paused.chosen).toEqual({
    model: "claude-opus-4-5",
    maxCostUsd: 0.05,
    permissionMode: "bypassPermissions",
  });
  const report = await baton(project, ["show"]);
  expect(report.stdout).toContain(
    "coder --model claude-opus-4-5 --permission-mode bypassPermissions --max-cost 0.05",
  );

  const again = await baton(project, ["resume"]);
  expect(again.code).toBe(3);
  expect(again.stdout).toMatch(new RegExp(`^Resuming ${paused.id}, which is paused: Write\\.`));
  expect(modelsAsked(project)).toEqual(["claude-opus-4-5"]);

  const last = await baton(project, [
    "resume",
    paused.id,
    "--max-cost",
    "90",
    "--model",
    "claude-sonnet-4-5",
  ]);
  expect(last.code).toBe(0);
  expect(modelsAsked(project)).toEqual(["claude-opus-4-5", "claude-sonnet-4-5"]);
  expect(await stepsDone(project)).toEqual(upTo(6));
  expect((await shown(project)).chosen).toEqual({
    model: "claude-sonnet-4-5",
    maxCostUsd: 90,
    permissionMode: "bypassPermissions",
  });
  const logs = await baton(project, ["logs", "--json"]);
  expect(ofType(logs.events, "job:resumed")).toHaveLength(2);
});

it("gives a job a worktree of its own where that was chosen, and pushes nothing", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  const { code, stdout } = await baton(project, ["run", "coder", "Write.", "--worktree", "--json"]);
  expect(code, stdout).toBe(0);
  expect(await stepsDone(project)).toEqual([]);
  const { workspace } = await shown(project);
  expect(workspace).toMatchObject({ strategy: "git_worktree" });
  expect(workspace.pushed).toBeUndefined();
  expect(await git(project.folder, "branch", "--list", workspace.branch)).not.toBe("");
});

describe("what cannot be chosen is refused before anything starts", () => {
  const refusal = async (project: TestProject, args: string[]) => {
    const { code, stderr } = await baton(project, args);
    expect(code).toBe(2);
    expect(existsSync(join(project.folder, ".baton"))).toBe(false);
    return stderr;
  };

  it.each([
    ["--permission-mode", "yolo", /yolo.*must be one of default, acceptEdits/],
    ["--permission-mode", "acceptEdit", /Did you mean "acceptEdits"\?/],
    ["--max-cost", "free", /--max-cost.*number above 0/],
    ["--max-cost", "0", /--max-cost.*number above 0/],
    ["--model", " ", /--model.*name of a model/],
    ["-C", "nowhere", /-C nowhere: this folder does not exist/],
  ])("%s %s", async (flag, value, said) => {
    const project = await testProject({ scenario: silent });
    expect(await refusal(project, ["run", "Go", flag, value])).toMatch(said);
  });

  it("more than the user's own maximums", async () => {
    const project = await testProject({ scenario: silent });
    const folder = join(project.env.HOME ?? "", ".config", "baton");
    await mkdir(folder, { recursive: true });
    const most = "maximums: { permission_mode: acceptEdits, limits: { cost_usd: 5 } }\n";
    await writeFile(join(folder, "config.yaml"), most);
    expect(await refusal(project, ["run", "Go", "--permission-mode", "bypassPermissions"])).toMatch(
      /more than you allow: maximums\.permission_mode in .*config\.yaml makes it acceptEdits/,
    );
    expect(await refusal(project, ["run", "Go", "--max-cost", "6"])).toMatch(
      /more than you allow: maximums\.limits\.cost_usd .* is \$5/,
    );
  });

  it("a worktree where there is no repository", async () => {
    const project = await testProject({ scenario: silent });
    const folder = join(project.env.HOME ?? "", "plain");
    await mkdir(folder);
    const said = await refusal({ ...project, folder }, ["run", "Go", "--worktree"]);
    expect(said).toMatch(/--worktree needs a git repository[\s\S]*git init/);
  });

  it("a worktree for a job that works in its folder", async () => {
    const project = await testProject({
      scenario: steady({ steps: 2 }),
      agent: "limits: { turns: 1 }",
    });
    expect((await baton(project, ["run", "Go", "--json"])).code).toBe(3);
    const { code, stderr } = await baton(project, ["resume", "--worktree"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/can no longer get a worktree/);
  });
});
