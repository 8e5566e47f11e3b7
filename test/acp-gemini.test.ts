import { GEMINI_MODEL, geminiEnvironment } from "./gemini-home.ts";
import { testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { provesJobs } from "./runtime-jobs.ts";

provesJobs({
  name: "Gemini CLI",
  overflowFactor: 200,
  kills: "while it works",
  limits: "untold",
  async project(scenario, session) {
    needs("gemini");
    const agent = `runtime: acp\ncommand: gemini\nmodel: ${GEMINI_MODEL}\nsession: { ${session} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, geminiEnvironment(project.simulator, project.env.HOME ?? ""));
    return project;
  },
});
