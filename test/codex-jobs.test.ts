import { join } from "node:path";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { provesJobs } from "./runtime-jobs.ts";

provesJobs({
  name: "Codex",
  overflowFactor: 100,
  async project(scenario, session) {
    needs("codex");
    const agent = `runtime: codex\nmodel: ${CODEX_MODEL}\npermission_mode: bypassPermissions\nsession: { ${session} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, codexEnvironment(project.simulator, join(project.env.HOME ?? "", "codex")));
    return project;
  },
});
