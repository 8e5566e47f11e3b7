import { execFile } from "node:child_process";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { adapters } from "../src/agents/registry.ts";
import { runFleet } from "../src/app/fleet/fleet.ts";
import { configOf, findProject } from "../src/app/project.ts";
import { newJob } from "../src/jobs/new-job.ts";
import { countJobs } from "../src/store/job-list.ts";
import { openStore } from "../src/store/store.ts";
import { completed, idle, PlayedAgent, PlayedSession, response } from "../test/played-session.ts";

/** Runs jobs through the slots of a fleet in this process, each of which writes so many durable events a second. */
const [count = 0, perSecond = 1, seconds = 10] = process.argv.slice(2).map(Number);
const project = findProject({});
const idleBytes = process.memoryUsage.rss();
const ending = new AbortController();

/** Sessions without a program: what is measured is Baton. */
class BusyAgent extends PlayedAgent {
  override start(
    spec: ConstructorParameters<typeof PlayedSession>[1] & { sessionId: string },
  ): PlayedSession {
    const session = new PlayedSession(spec.sessionId, spec);
    session.onSend = () => void work(session);
    return session;
  }
}

let atWork = 0;
const allAtWork = Promise.withResolvers<void>();
const mayEnd = Promise.withResolvers<void>();

async function work(session: PlayedSession): Promise<void> {
  session.play({ type: "init", sessionId: session.id, model: "claude-sonnet-4-5", program: "played" });
  session.play(response(1_000));
  if (++atWork === count) allAtWork.resolve();
  await allAtWork.promise;
  // Not all of them in the same moment.
  await sleep(Math.random() * (1_000 / perSecond));
  let isOver = false;
  void mayEnd.promise.then(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver && !session.isClosed; turn++) {
    session.play({ type: "text", text: `This is what happened in turn ${turn}.` });
    await sleep(1_000 / perSecond);
  }
  session.play(completed(), idle);
}

const agent = new BusyAgent();
adapters.claude = async () => agent;
const config = await configOf(project);
const path = join(project.root, ".baton", "baton.db");
{
  await using store = await openStore(path);
  for (let job = 0; job < count; job++) {
    const agent = config.agents[job % config.agents.length];
    if (agent) await newJob(store, config, agent, "Take your turns.", undefined, { priority: 0 });
  }
}
const began = performance.now();
const running = runFleet({
  projects: [project],
  reach: { bell: () => {}, desktop: async () => {} },
  signal: ending.signal,
  begun: () => {},
  tell: (news) => {
    if (news.what === "problem" || news.what === "held") console.error(JSON.stringify(news));
  },
});
await Promise.race([allAtWork.promise, running]);
const startedMs = performance.now() - began;
await sleep(2_000);
const beside = idleDelay();
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
const before = await eventsSoFar();
const cpu = process.cpuUsage();
await sleep(seconds * 1_000);
delay.disable();
const { user, system } = process.cpuUsage(cpu);
const written = (await eventsSoFar()) - before;
const busyBytes = process.memoryUsage.rss();
mayEnd.resolve();
for (;;) {
  await using store = await openStore(path);
  const { completed: done = 0 } = await countJobs(store);
  if (done === count) break;
  await sleep(100);
}
ending.abort();
await running;
console.log(
  JSON.stringify({
    startedMs,
    p50Ms: delay.percentile(50) / 1e6,
    p99Ms: delay.percentile(99) / 1e6,
    maxMs: delay.max / 1e6,
    idleP99Ms: await beside,
    eventsPerSecond: written / seconds,
    cpuMsPerEvent: (user + system) / 1_000 / written,
    idleMB: idleBytes / 1e6,
    busyMB: busyBytes / 1e6,
  }),
);

/** The same of a process that does nothing, at the same time: what the machine itself keeps waiting. */
async function idleDelay(): Promise<number> {
  const script = `const delay = require("node:perf_hooks").monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    setTimeout(() => { console.log(delay.percentile(99) / 1e6); process.exit(); }, ${seconds * 1_000});`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  return Number(stdout);
}

async function eventsSoFar(): Promise<number> {
  await using store = await openStore(path);
  const { last } = await store.db
    .selectFrom("events")
    .select((is) => is.fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  return Number(last);
}
