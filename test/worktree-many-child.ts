import { once } from "node:events";
import { openJobs } from "./workspace-job.ts";

// Sets up many jobs at once, says what each got, and holds them until it is told to end.
const [folder = "", name = "", count = "0"] = process.argv.slice(2);
await using jobs = await openJobs(folder);
const settled = await Promise.allSettled(
  Array.from({ length: Number(count) }, (_, n) => jobs.setUp({ workItem: `${name}-${n % 5}` })),
);
for (const one of settled) {
  const line =
    one.status === "rejected"
      ? { failed: String(one.reason) }
      : {
          id: one.value.id,
          path: one.value.workspace.path,
          branch: one.value.workspace.branch,
          ports: one.value.workspace.worktree?.ports,
        };
  console.log(JSON.stringify(line));
}
console.log("all");
process.stdin.resume();
await once(process.stdin, "end");
const ended = await Promise.all(
  settled.flatMap((one) => (one.status === "fulfilled" ? [one.value.end("completed")] : [])),
);
console.log(JSON.stringify({ left: ended.filter(({ workspace }) => workspace?.state !== "removed") }));
