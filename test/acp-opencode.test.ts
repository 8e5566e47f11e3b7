import { testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { OPENCODE_MODEL, opencodeEnvironment } from "./opencode-home.ts";
import { provesJobs } from "./runtime-jobs.ts";

provesJobs({
  name: "opencode",
  endsByEvent: true,
  limits: "unheard",
  // Each start of it takes seconds, so its windows are filled in few steps.
  steps: 12,
  stepsOfKilled: 8,
  step: { factor: 1, outputCharacters: 36_000 },
  async project(scenario, session) {
    needs("opencode");
    const agent = `runtime: acp\ncommand: opencode\nmodel: ${OPENCODE_MODEL}\nsession: { ${session} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, opencodeEnvironment(project.simulator, project.env.HOME ?? ""));
    return project;
  },
});
