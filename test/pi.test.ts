import { join } from "node:path";
import { testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { PI_MODEL, piEnvironment } from "./pi-home.ts";
import { provesJobs } from "./runtime-jobs.ts";

provesJobs({
  name: "pi",
  async project(scenario, session) {
    needs("pi");
    const agent = `runtime: pi\nmodel: ${PI_MODEL}\nsession: { ${session} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, piEnvironment(project.simulator, join(project.env.HOME ?? "", "pi")));
    return project;
  },
});
