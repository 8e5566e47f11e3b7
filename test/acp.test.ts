import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, shown, testProject } from "./harness.ts";
import { needs, PROGRAMS } from "./needs.ts";

const PATH = [PROGRAMS, process.env.PATH].join(delimiter);

it("finishes a job of three windows through the Agent Client Protocol, doing every step once", {
  tags: ["claude"],
}, async () => {
  needs("claude-agent-acp");
  const scenario = steady({ steps: 30, factor: 20, outputCharacters: 2_000 });
  const agent = "runtime: acp\ncommand: claude-agent-acp";
  const project = await testProject({ scenario, agent, env: { PATH } });
  const { code } = await baton(project, ["run", "coder", "Write the files.", "--json"]);
  expect(code).toBe(0);
  const job = await shown(project);
  expect(job.sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual([
    "handoff",
    "handoff",
    "completed",
  ]);
  expect(job.handoffs).toMatchObject([{ source: "agent" }, { source: "agent" }]);
  for (let step = 1; step <= 30; step++) {
    expect(await readFile(join(project.folder, `step-${step}.txt`), "utf8")).toBe(`step ${step}\n`);
  }
});
