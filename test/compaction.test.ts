import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, git, shown, testProject } from "./harness.ts";
import { handsIn, oneHandoff, RUN_REQUEST, writesNotes } from "./one-handoff.ts";

it("compacts old journals where the user says so: jobs are listed and shown, documents and refs stay", async () => {
  const project = await testProject({ scenario: oneHandoff([writesNotes], handsIn({})) });
  expect((await baton(project, RUN_REQUEST)).code).toBe(0);
  expect((await baton(project, ["maintain"])).stdout).toContain("There is nothing to remove.");
  const before = await shown(project);
  const { documentPath } = before.handoffs[0];
  const document = await readFile(documentPath, "utf8");
  const refs = await git(project.folder, "for-each-ref");

  const config = join(project.folder, "baton.yaml");
  const text = await readFile(config, "utf8");
  await writeFile(config, `${text}maintenance: { job_cleanup: { max_age: 1ms, keep: 0 } }\n`);
  const maintained = await baton(project, ["maintain"]);
  expect(maintained.stdout).toMatch(new RegExp(`done +${before.id}: \\d+ events of its journal`));
  const { compacted, ...rest } = await shown(project);
  expect(rest).toEqual(before);
  expect(compacted.events).toBeGreaterThan(5);
  expect(await readFile(documentPath, "utf8")).toBe(document);
  expect(await git(project.folder, "for-each-ref")).toBe(refs);

  const [jobs, show, logs, handoffs, view] = [
    await baton(project, ["jobs"]),
    await baton(project, ["show", before.id]),
    await baton(project, ["logs", before.id]),
    await baton(project, ["handoff", "show", "1", "--job", before.id]),
    await baton(project, ["maintain"]),
  ];
  expect(jobs.stdout).toContain(before.id.slice(-6));
  expect(show.stdout).toMatch(/journal +compacted on .*: \d+ events removed/);
  expect(logs.stdout).toContain("events of this job removed by compaction");
  expect(handoffs.stdout).toContain("notes.txt holds its first line.");
  const [failed, resumed] = [await baton(project, ["resume", before.id]), await shown(project)];
  expect([failed.code, resumed.status]).toEqual([2, "completed"]);
  expect(view.stdout).toContain("There is nothing to remove.");
});
