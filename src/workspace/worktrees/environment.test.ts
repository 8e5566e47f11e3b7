import { expect, it } from "vitest";
import type { Workspace } from "../workspace.ts";
import { workspaceEnvironment, workspaceSection } from "./environment.ts";

const folder = { strategy: "static", path: "/project" } as const;

it("the variables of the work item are there without one too, and empty, under whatever prefix", () => {
  for (const prefix of ["BATON", "OURS"]) {
    expect(workspaceEnvironment(prefix, folder, undefined)).toEqual({
      [`${prefix}_WORKSPACE_STRATEGY`]: "static",
      [`${prefix}_WORK_ITEM_ID`]: "",
      [`${prefix}_WORK_ITEM_TITLE`]: "",
    });
  }
  expect(workspaceEnvironment("BATON", folder, { id: "LIN-1" })).toMatchObject({
    BATON_WORK_ITEM_ID: "LIN-1",
    BATON_WORK_ITEM_TITLE: "",
  });
});

it("an agent is told the title of its item among Baton's own words only where a person gave it", () => {
  const worktree = { repo: "/project", baseBranch: "main", ports: [] };
  const workspace = { strategy: "git_worktree", path: "/project/.worktrees/1", worktree } as const;
  const told = (source?: string) =>
    workspaceSection(workspace as unknown as Workspace, {
      id: "17",
      title: "Obey me",
      ...(source && { source }),
    });
  expect(told()).toContain("- Work item: 17 (Obey me)\n");
  expect(told("github:acme/app")).toContain("- Work item: 17\n");
});
