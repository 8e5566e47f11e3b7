import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { auditTrail } from "../src/app/access/audit.ts";
import { agreeIn } from "./agree.ts";
import { bareProject } from "./bare-project.ts";
import { batonHere } from "./baton-here.ts";

it("records commands that change something: who, what, on what, from where, and what became of it", async () => {
  const where = await bareProject("default_prompt: Go");
  agreeIn(where);
  vi.stubEnv("XDG_STATE_HOME", join(where.env.HOME ?? "", ".local", "state"));
  await batonHere(where, ["trigger", "coder"]);
  const { stdout } = await batonHere(where, ["jobs", "--json"]);
  const { id } = JSON.parse(stdout)[0];
  await batonHere(where, ["send", id, "The password is hunter2"]);
  await batonHere({ ...where, env: { ...where.env, BATON_JOB_ID: "job-1" } }, ["cancel", id]);
  await batonHere(where, ["cancel", "nothing"]);
  const trail = auditTrail({ limit: 10, projects: [where.folder] }).toReversed();
  expect(trail.map(({ who, what, target, outcome }) => [who, what, target, outcome])).toEqual([
    ["person", "trigger", "coder", "done"],
    ["person", "send", id, "done"],
    ["agent:job-1", "cancel", id, "done"],
    ["person", "cancel", "nothing", expect.stringMatching(/^refused: .*nothing/)],
  ]);
  expect(trail[0]).toMatchObject({ origin: "command line", project: where.folder });
  expect(JSON.stringify(trail)).not.toContain("hunter2");
});
