import { SMALL_WINDOW, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { OPENCODE_MODEL, opencodeEnvironment } from "./opencode-home.ts";
import { provesJobs } from "./runtime-jobs.ts";

/** Filled by two steps of the longest output that it does not cut short: each of its starts and turns takes it seconds. */
const SMALLEST_WINDOW = 36_000;

provesJobs({
  name: "opencode",
  limits: "unheard",
  steps: 7,
  kills: "while it works",
  step: { factor: 1, outputCharacters: 48_000 },
  async project(scenario, session) {
    needs("opencode");
    const own = session.replace(String(SMALL_WINDOW), String(SMALLEST_WINDOW));
    const agent = `runtime: acp\ncommand: opencode\nmodel: ${OPENCODE_MODEL}\nsession: { ${own} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, opencodeEnvironment(project.simulator, project.env.HOME ?? ""));
    return project;
  },
});
