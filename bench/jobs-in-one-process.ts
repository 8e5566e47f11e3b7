import { join } from "node:path";
import {
  agentNamed,
  claimJob,
  claude,
  Journal,
  loadConfig,
  newJob,
  openStore,
  ownEnvironment,
  runJob,
  thisProcess,
} from "../src/index.ts";

/** Runs jobs at once in the project of this folder, as a program that uses Baton as its library does. */
const count = Number(process.argv[2]);
const config = loadConfig("baton.yaml");
const agent = agentNamed(config);
const env = ownEnvironment();
const { signal } = new AbortController();
await using store = await openStore(join(".baton", "baton.db"));
console.log(JSON.stringify({ idleBytes: process.memoryUsage.rss() }));

await Promise.all(
  Array.from({ length: count }, async () => {
    const id = await newJob(store, config, agent, "Take your turns.");
    const claim = await claimJob(store, id, thisProcess(), new Date());
    await using journal = new Journal(store, claim, () => new Date());
    const job = await runJob({ journal, config: agent, agent: claude, env, signal });
    if (job.status !== "completed") throw new Error(`${id} is ${job.status}: ${job.error}`);
  }),
);
