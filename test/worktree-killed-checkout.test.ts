import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { occupantsOf } from "../src/processes/occupants.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, baton, git, shown, upTo } from "./harness.ts";
import { isThere, listedWorktrees, type WorktreeProject, worktreeProject } from "./worktree.ts";
import { BRANCH, expectDelivered, type Mending, mend, RUN } from "./worktree-killed.ts";

const FILES = 1_000;
const STEPS = 1;

it.each<Mending>(["start-up", "resume"])(
  "killed together with its git in the middle of a checkout, a job is mended by %s",
  async (how) => {
    const { project, job, path, goOn } = await killedInCheckout();
    await killAllIn(path);
    await goOn();
    await mend(project, job, how, "in the middle of a checkout");
    await expectAllFiles(project);
  },
);

it("a git that outlives its Baton keeps the worktree from the next one until it has ended", async () => {
  const { project, job, path, goOn } = await killedInCheckout();
  const kept = await baton(project, ["maintain"]);
  expect(kept.code).toBe(1);
  expect(kept.stdout).toMatch(/in use by .*git/);
  expect(await listedWorktrees(project)).toMatchObject([
    { job, action: "discard", reason: expect.stringMatching(/in use by .*git/) },
  ]);
  const resumed = await baton(project, ["resume", job, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(1);
  expect((await shown(project)).error).toMatch(/half made.*baton resume/s);

  // The half of a tree that it leaves is taken for nothing else.
  await killAllIn(path);
  await goOn();
  await mend(project, job, "resume", "in the middle of a checkout");
  await expectAllFiles(project);
});

interface Interrupted {
  project: WorktreeProject;
  job: string;
  path: string;
  /** Lets the next checkout come to its end. */
  goOn: () => Promise<void>;
}

/** A job killed while git, which lives on, has written some of many files and waits with one of them. */
async function killedInCheckout(): Promise<Interrupted> {
  const project = await worktreeProject({ scenario: steady({ steps: STEPS }) });
  const { folder } = project;
  await mkdir(join(folder, "many"));
  for (const number of upTo(FILES)) await writeFile(join(folder, "many", `${number}.txt`), `${number}\n`);
  await writeFile(join(folder, ".gitattributes"), "many/500.txt filter=slow\n");
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "Many files");
  await git(folder, "push", "-q", "origin", "main");

  const signs = await mkdtemp(join(tmpdir(), "baton-slow-"));
  onTestFinished(() => rm(signs, { recursive: true, force: true }));
  const filter = join(signs, "filter");
  const waiting = `: > ${signs}/begun\nuntil [ -e ${signs}/go ]; do sleep 0.05; done\ncat\n`;
  await writeFile(filter, `#!/bin/sh\n${waiting}`, { mode: 0o755 });
  await git(folder, "config", "filter.slow.smudge", filter);
  const goOn = () => writeFile(join(signs, "go"), "");

  const first = new Baton(project, RUN);
  const creating = await first.event(({ type }) => type === "workspace:creating");
  if (creating.type !== "workspace:creating") throw new Error("not the event that was asked for");
  const { job, path } = creating;
  onTestFinished(() => killAllIn(path));
  await expect.poll(() => isThere(join(signs, "begun")), { timeout: 30_000 }).toBe(true);
  await first.kill();
  expect(await git(path, "rev-parse", "--git-path", "index.lock").then(isThere)).toBe(true);
  return { project, job, path, goOn };
}

async function killAllIn(path: string): Promise<void> {
  for (const { pid } of await occupantsOf(path)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  await expect.poll(() => occupantsOf(path), { timeout: 10_000 }).toEqual([]);
}

async function expectAllFiles(project: WorktreeProject): Promise<void> {
  await expectDelivered(project, STEPS, "in the middle of a checkout");
  const files = await git(project.remote, "ls-tree", "-r", "--name-only", BRANCH, "many/");
  expect(files.split("\n")).toHaveLength(FILES);
}
