import { openBaton } from "../src/index.ts";

/** Runs jobs at once in the project of this folder, as a program that uses Baton as its library does. */
const count = Number(process.argv[2]);
await using baton = await openBaton();
console.log(JSON.stringify({ idleBytes: process.memoryUsage.rss() }));

await Promise.all(
  Array.from({ length: count }, async () => {
    const job = await baton.run("Take your turns.");
    const { status, error } = await job.result;
    if (status !== "completed") throw new Error(`${job.id} is ${status}: ${error}`);
  }),
);
