import { expect, it } from "vitest";
import { workspaceEnvironment } from "./environment.ts";

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
