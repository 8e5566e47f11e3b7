import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createJob } from "../src/store/jobs.ts";
import { openStore } from "../src/store/store.ts";
import { baton, type TestProject, testProject } from "./harness.ts";

const scenario = { name: "silent", summary: "is never asked" };

async function projectWith(...ids: string[]): Promise<TestProject> {
  const project = await testProject({ scenario });
  await using store = await openStore(join(project.folder, ".baton", "baton.db"));
  for (const [index, id] of ids.entries()) {
    const created = { type: "job:created" as const, agent: "coder", prompt: `Do\n${id}`, agentConfig: {} };
    await createJob(store, id, created, new Date(index));
  }
  return project;
}

it("lists the jobs in aligned columns, newest first", async () => {
  const project = await projectWith("job-2026-01-01-aaaaaa", "job-2026-01-01-ab");
  const { code, stdout } = await baton(project, ["jobs"]);
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "JOB     AGENT  STATUS   STARTED     SESSIONS   COST  TIME  REQUEST",
    expect.stringMatching(
      /^ab {6}coder {2}created {2}\d{4}-\d\d-\d\d {9}0 {2}\$0\.00 {2}0:00 {2}Do job-2026-01-01-ab$/,
    ),
    expect.stringMatching(
      /^aaaaaa {2}coder {2}created {2}\d{4}-\d\d-\d\d {9}0 {2}\$0\.00 {2}0:00 {2}Do job-2026-01-01-aaaaaa$/,
    ),
  ]);
  const [newest, ...others] = JSON.parse((await baton(project, ["jobs", "-n", "1", "--json"])).stdout);
  expect(newest.id).toBe("job-2026-01-01-ab");
  expect(others).toEqual([]);
});

it("names a job by the beginning of the last part of its id, where that is enough", async () => {
  const project = await projectWith("job-2026-01-01-aaaaaa", "job-2026-01-01-abbbbb");
  const { stdout } = await baton(project, ["show", "ab", "--json"]);
  expect(JSON.parse(stdout).id).toBe("job-2026-01-01-abbbbb");
  const ambiguous = await baton(project, ["show", "a"]);
  expect(ambiguous.code).toBe(2);
  expect(ambiguous.stderr).toMatch(/several jobs[\s\S]*aaaaaa[\s\S]*abbbbb/);
  const unknown = await baton(project, ["resume", "zz"]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('no job "zz"');
});

it("says that the store is damaged, and what to do", async () => {
  const project = await projectWith();
  await writeFile(join(project.folder, ".baton", "baton.db"), "not a database ".repeat(500));
  const { code, stdout } = await baton(project, ["jobs", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error).toMatch(/baton\.db is damaged.*\.recover/);
});
