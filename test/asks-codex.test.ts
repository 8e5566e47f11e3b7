import { join } from "node:path";
import { expect, it } from "vitest";
import { asked, bash, isThere, making, RUN, type } from "./asking.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { Baton, bundle, testProject } from "./harness.ts";
import { needs } from "./needs.ts";

it("Codex waits for a person too, and has no rule to offer for good", async () => {
  needs("codex");
  const project = await testProject({
    scenario: making(bash("touch made")),
    agent: `runtime: codex\nmodel: ${CODEX_MODEL}\npermission_mode: default\npermission_prompts: ask`,
  });
  Object.assign(project.env, codexEnvironment(project.simulator, join(project.env.HOME ?? "", "codex")));
  const running = new Baton({ ...project, program: join(bundle, "baton.js") }, RUN);
  const { ask, input } = await asked(running);
  expect(input).toContain("touch made");
  expect(isThere(project, "made")).toBe(false);
  expect((await type(project, "approve", ask, "--always")).stderr).toContain("knows no rules");
  expect((await type(project, "approve", ask)).stdout).toContain("Delivered");
  expect(await running.exit).toMatchObject({ code: 0 });
});
