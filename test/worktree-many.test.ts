import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { git, parts } from "./harness.ts";
import { obedient } from "./obedient.ts";
import { branchesOf, worktreeProject, worktreesIn } from "./worktree.ts";

/** Sets up many jobs at once, says what each got, and holds them until it is told to end. */
const setsUp = `
  import { once } from "node:events";
  import { openJobs } from ${JSON.stringify(parts)};
  const [folder, name, count] = process.argv.slice(1);
  await using jobs = await openJobs(folder);
  const settled = await Promise.allSettled(
    Array.from({ length: Number(count) }, (_, n) => jobs.setUp({ workItem: name + "-" + (n % 5) })),
  );
  for (const { status, reason, value } of settled) {
    const got = () => {
      const { path, branch, worktree } = value.workspace;
      return { id: value.id, path, branch, ports: worktree?.ports };
    };
    console.log(JSON.stringify(status === "rejected" ? { failed: String(reason) } : got()));
  }
  console.log("all");
  process.stdin.resume();
  await once(process.stdin, "end");
  const ended = await Promise.all(
    settled.flatMap(({ value }) => (value ? [value.end("completed")] : [])),
  );
  console.log(JSON.stringify({ left: ended.filter(({ workspace }) => workspace?.state !== "removed") }));
`;

const PROCESSES = 3;
const JOBS = [7, 7, 6];

/** A process that sets up so many jobs at once. Every process asks for the same five work items. */
function startMany(folder: string, jobs: number) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", setsUp, folder, "LIN", String(jobs)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async made() {
      const found: { failed?: string; id: string; path: string; branch: string; ports: number[] }[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error("the process ended before it had set up its jobs");
        if (value === "all") return found;
        found.push(JSON.parse(value));
      }
    },
    async end() {
      child.stdin.end();
      const { value = "" } = await lines.next();
      return JSON.parse(value);
    },
  };
}

it("20 jobs set up at once by three processes all get a worktree, a branch and ports of their own", async () => {
  const project = await worktreeProject({
    scenario: obedient(),
    workspace: "ports: 2, on_branch_conflict: suffix",
  });
  const processes = JOBS.slice(0, PROCESSES).map((jobs) => startMany(project.folder, jobs));
  const made = (await Promise.all(processes.map((one) => one.made()))).flat();
  expect(made.flatMap(({ failed }) => failed ?? []).join("\n")).toBe("");
  expect(made).toHaveLength(20);
  expect(new Set(made.map(({ path }) => path)).size).toBe(20);
  expect(new Set(made.map(({ branch }) => branch)).size).toBe(20);
  const ports = made.flatMap((one) => one.ports);
  expect(new Set(ports).size).toBe(40);
  expect(await worktreesIn(project)).toEqual(made.map(({ id }) => id).sort());
  for (const { path, branch } of made) {
    expect(await git(path, "status", "--porcelain", "--branch")).toBe(`## ${branch}`);
    expect(await readdir(path)).toContain("baton.yaml");
  }

  const ended = await Promise.all(processes.map((one) => one.end()));
  expect(ended).toEqual([{ left: [] }, { left: [] }, { left: [] }]);
  expect(await branchesOf(project.folder)).toEqual(["main"]);
  expect((await git(project.folder, "worktree", "list", "--porcelain")).match(/^worktree /gm)).toHaveLength(
    1,
  );
  expect(await git(project.folder, "fsck", "--no-dangling", "--no-progress")).toBe("");
});
