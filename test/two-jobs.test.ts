import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { JobCancelled } from "../src/jobs/reasons.ts";
import { openStore } from "../src/store/store.ts";
import { bareProject } from "./bare-project.ts";
import { baton } from "./harness.ts";
import { runInLibrary } from "./library.ts";
import { isRunning } from "./processes.ts";
import { SmallAgent } from "./small-agent.ts";

/** Two jobs in this process: one has paused, and something of its agent still runs; the other is at work. */
async function oneOfTwoPaused() {
  const { folder, env } = await bareProject();
  const store = await openStore(join(folder, ".baton", "baton.db"));
  const atWork = new SmallAgent();
  const one = await runInLibrary(store, folder, { agent: new SmallAgent(), limits: { turns: 1 } });
  const two = await runInLibrary(store, folder, { agent: atWork });
  expect((await one.ended).status).toBe("paused");
  await two.event(({ type }) => type === "tool:start");
  const left = spawn("sleep", ["1000"], { env: { BATON_JOB_ID: one.id }, stdio: "ignore" });
  onTestFinished(async () => {
    left.kill("SIGKILL");
    two.abort(new JobCancelled("by the test"));
    await two.ended;
    await store.close();
  });
  const pid = atWork.sessions[0]?.program.pid ?? 0;
  return { folder, env, store, one, two, left, isAtWork: () => isRunning(pid) };
}

it("a job that another process resumes leaves the agents of other jobs alone", async () => {
  const { folder, one, two, left, isAtWork } = await oneOfTwoPaused();
  const child = fileURLToPath(new URL("library-child.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, folder, one.id]);
  expect(stdout).toContain('"type":"job:started"');
  expect(await isAtWork()).toBe(true);
  expect(await isRunning(left.pid ?? 0)).toBe(false);
  expect(two.events.some(({ type }) => type === "retry")).toBe(false);
});

it("a job that is resumed in the process that paused it loses what it left, and no other job does", async () => {
  const { folder, store, one, left, isAtWork } = await oneOfTwoPaused();
  const again = await runInLibrary(store, folder, {
    agent: new SmallAgent(),
    limits: { turns: 1 },
    job: one.id,
  });
  expect((await again.ended).status).toBe("paused");
  expect(await isRunning(left.pid ?? 0)).toBe(false);
  expect(await isAtWork()).toBe(true);
});

it("`baton cancel` of a paused job ends what it left, and leaves the agents of other jobs alone", async () => {
  const { folder, env, one, left, isAtWork } = await oneOfTwoPaused();
  expect(await baton({ folder, env }, ["cancel", one.id])).toMatchObject({ code: 0 });
  expect(await isAtWork()).toBe(true);
  expect(await isRunning(left.pid ?? 0)).toBe(false);
});
