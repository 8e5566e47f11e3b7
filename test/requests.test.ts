import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { JobCancelled } from "../src/jobs/reasons.ts";
import { openStore } from "../src/store/store.ts";
import { bareProject } from "./bare-project.ts";
import { baton } from "./harness.ts";
import { type LibraryJob, runInLibrary } from "./library.ts";
import { SmallAgent } from "./small-agent.ts";

/** Two jobs at work in this process, as a program has them that uses Baton as its library. */
async function twoAtWork() {
  const project = await bareProject();
  const store = await openStore(join(project.folder, ".baton", "baton.db"));
  const agent = new SmallAgent();
  const jobs = await Promise.all([1, 2].map(() => runInLibrary(store, project.folder, { agent })));
  onTestFinished(async () => {
    for (const job of jobs) job.abort(new JobCancelled("by the test"));
    await Promise.all(jobs.map(({ ended }) => ended));
    await store.close();
  });
  await Promise.all(jobs.map((job) => job.event(({ type }) => type === "tool:start")));
  const [one, two] = jobs as [LibraryJob, LibraryJob];
  return { project, one, two };
}

it("`baton cancel` ends a job that a program runs through the library, and no other", async () => {
  const { project, one, two } = await twoAtWork();
  expect(await baton(project, ["cancel", one.id])).toMatchObject({ code: 0 });
  expect(await one.ended).toMatchObject({ status: "cancelled" });
  expect(one.events.at(-1)).toMatchObject({ type: "job:cancelled", message: "by `baton cancel`" });
  expect(two.journal.job.status).toBe("running");
});

it("`baton handoff` reaches a job that a program runs through the library, and no other", async () => {
  const { project, one, two } = await twoAtWork();
  const refused = await baton(project, ["handoff", "--cancel", two.id]);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("No handoff is being made") });
  const asked = baton(project, ["handoff", one.id, "--focus", "the tests"]);
  expect(await one.event(({ type }) => type === "handoff:requested")).toMatchObject({
    by: "manual",
    focus: "the tests",
  });
  await one.event(({ type }) => type === "context:handoff:start");
  expect(two.events.some(({ type }) => type === "handoff:requested")).toBe(false);
  one.abort(new JobCancelled("by the test"));
  await asked;
});
