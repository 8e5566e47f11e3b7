import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { JobCancelled } from "../src/jobs/reasons.ts";
import { openStore } from "../src/store/store.ts";
import { bareProject } from "./bare-project.ts";
import { runInLibrary } from "./library.ts";
import { guardOf, isRunning } from "./processes.ts";
import { SmallAgent } from "./small-agent.ts";

async function atWork() {
  const { folder } = await bareProject();
  const store = await openStore(join(folder, ".baton", "baton.db"));
  const agent = new SmallAgent();
  const job = await runInLibrary(store, folder, { agent });
  onTestFinished(async () => {
    job.abort(new JobCancelled("by the test"));
    await job.ended;
    await store.close();
  });
  const started = await job.event(({ type }) => type === "job:started");
  if (started.type !== "job:started") throw new Error("not the event that was asked for");
  await job.event(({ type }) => type === "tool:start");
  return { job, agent, marker: started.marker };
}

it("a guard that dies is replaced, and the job goes on", async () => {
  const { job, marker } = await atWork();
  const first = await guardOf(marker);
  process.kill(first.pid, "SIGKILL");
  const died = performance.now();
  const second = await guardOf(marker, first.pid);
  expect(performance.now() - died).toBeLessThan(3_000);
  expect(await isRunning(second.pid)).toBe(true);
  expect(job.journal.job.status).toBe("running");
});

it("a job whose guard cannot be kept alive is stopped, and says why", async () => {
  const { job, agent, marker } = await atWork();
  let over = false;
  const ended = job.ended.finally(() => {
    over = true;
  });
  for (let last = 0; !over; ) {
    const next = await Promise.race([guardOf(marker, last), ended.then(() => undefined)]);
    if (next === undefined) break;
    last = next.pid;
    process.kill(last, "SIGKILL");
  }
  expect(await ended).toMatchObject({
    status: "interrupted",
    error: expect.stringContaining("guard"),
  });
  expect(await isRunning(agent.sessions[0]?.program.pid ?? 0)).toBe(false);
});
