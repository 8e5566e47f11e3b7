import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, shown, testProject } from "./harness.ts";

it("finishes a job that needs three windows, doing every step once", async () => {
  const project = await testProject({ scenario: steady({ steps: 30, factor: 20, outputCharacters: 2_000 }) });
  const { code } = await baton(project, ["run", "coder", "Write the files.", "--json"]);
  expect(code).toBe(0);

  const job = await shown(project);
  expect(job.status).toBe("completed");
  expect(job.sessions).toHaveLength(3);
  expect(job.sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual([
    "handoff",
    "handoff",
    "completed",
  ]);
  for (const [index, handoff] of job.handoffs.entries()) {
    expect(handoff).toMatchObject({ number: index + 1, source: "agent", contextWindow: 200_000 });
    expect(handoff.fromSession).toBe(job.sessions[index].id);
    expect(handoff.toSession).toBe(job.sessions[index + 1].id);
    expect(await readFile(handoff.documentPath, "utf8")).toContain("## Next steps");
  }
  for (let step = 1; step <= 30; step++) {
    expect(await readFile(join(project.folder, `step-${step}.txt`), "utf8")).toBe(`step ${step}\n`);
  }
});
