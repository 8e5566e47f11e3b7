import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { resolveAgent } from "../src/config/layers/resolve.ts";
import { workspaceAfter } from "../src/job/folds/workspace.ts";
import { jobId } from "../src/job/id.ts";
import { emptyJob } from "../src/job/job.ts";
import type { Workspace, WorkspaceEvent, WorkspaceJob } from "../src/workspace/workspace.ts";
import { WorktreeStrategy } from "../src/workspace/worktree.ts";
import { type Measure, median } from "./measure.ts";

const run = promisify(execFile);

const FOLDERS = 200;
const FILES_PER_FOLDER = 100;
const ROUNDS = 5;
const AT_ONCE = 20;

const TMPFS = "/dev/shm";

/** Set-up and removal of a job's worktree against git's own commands, on disk and, where there is one, on tmpfs. */
export async function measureWorktree(): Promise<Measure[]> {
  const onDisk = await measureIn(tmpdir(), "");
  if (!existsSync(TMPFS) || tmpdir().startsWith(TMPFS)) return onDisk;
  return [...onDisk, ...(await measureIn(TMPFS, "-tmpfs"))];
}

function measureIn(folder: string, suffix: string): Promise<Measure[]> {
  return inBigRepository(folder, async (repo) => {
    const own = { setup: [] as number[], remove: [] as number[] };
    const plain = { setup: [] as number[], remove: [] as number[] };
    for (let round = -1; round < ROUNDS; round++) {
      const ours = await ourRound(repo);
      const gits = await gitRound(repo, round);
      if (round < 0) continue;
      own.setup.push(ours.setupMs);
      own.remove.push(ours.removeMs);
      plain.setup.push(gits.setupMs);
      plain.remove.push(gits.removeMs);
    }
    const files = FOLDERS * FILES_PER_FOLDER;
    return [
      {
        name: `worktree-setup${suffix}`,
        value: median(own.setup) / median(plain.setup),
        unit: "ratio",
        limit: 1.15,
        detail: {
          compared: "setup of a job / git fetch and git worktree add",
          batonMs: median(own.setup),
          gitMs: median(plain.setup),
          files,
        },
      },
      {
        name: `worktree-removal${suffix}`,
        value: median(own.remove) / median(plain.remove),
        unit: "ratio",
        limit: 0.25,
        detail: {
          compared: "removal at a job's end, gate and checkpoint included / git worktree remove --force",
          batonMs: median(own.remove),
          gitMs: median(plain.remove),
          files,
        },
      },
    ];
  });
}

/** Many set-ups at once against the same, one after the other. */
export function measureWorktreesAtOnce(): Promise<Measure> {
  return inBigRepository(tmpdir(), async (repo) => {
    const jobs = () => Array.from({ length: AT_ONCE }, () => benchJob(repo));
    const strategies = { sequence: jobs(), parallel: jobs() };
    let started = performance.now();
    for (const job of strategies.sequence) await job.setup();
    const sequenceMs = performance.now() - started;
    started = performance.now();
    await Promise.all(strategies.parallel.map((job) => job.setup()));
    const parallelMs = performance.now() - started;
    return {
      name: "worktree-parallel",
      value: parallelMs / sequenceMs,
      unit: "ratio",
      detail: { compared: `${AT_ONCE} set-ups at once / one after the other`, parallelMs, sequenceMs },
    };
  });
}

async function inBigRepository<T>(folder: string, measure: (repo: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(folder, "baton-bench-"));
  try {
    return await measure(await bigRepository(root));
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function ourRound(repo: string): Promise<{ setupMs: number; removeMs: number }> {
  const job = benchJob(repo);
  let started = performance.now();
  await job.setup();
  const setupMs = performance.now() - started;
  await workedIn(job.path());
  started = performance.now();
  await job.teardown();
  const removeMs = performance.now() - started;
  await trashGone(repo);
  return { setupMs, removeMs };
}

async function gitRound(repo: string, round: number): Promise<{ setupMs: number; removeMs: number }> {
  const path = join(repo, "..", `plain-${round}`);
  let started = performance.now();
  await git(repo, "fetch", "--quiet", "origin");
  await git(repo, "worktree", "add", "--quiet", "-b", `plain-${round}`, path, "origin/main");
  const setupMs = performance.now() - started;
  await workedIn(path);
  started = performance.now();
  await git(repo, "worktree", "remove", "--force", path);
  return { setupMs, removeMs: performance.now() - started };
}

/**
 * An agent takes its time, and asks for the status. Of files that are as young as the index, git has to read each one:
 * no job ends within the second in which its worktree was made.
 */
async function workedIn(path: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await git(path, "status", "--short");
}

/** A job as far as its workspace needs one, without a store: what is measured is git and the disk. */
function benchJob(repo: string) {
  const id = jobId(new Date(), crypto.getRandomValues(new Uint8Array(6)));
  const root = { root: repo, home: repo };
  const config = resolveAgent("coder", { workspace: { strategy: "git_worktree" } }, root);
  const nothing = { entries: async () => [], clear: async () => undefined, passOn: async () => {} };
  const strategy = new WorktreeStrategy(config, nothing);
  let { workspace: record } = emptyJob(id);
  const note = (event: WorkspaceEvent) => {
    switch (event.type) {
      case "workspace:waiting":
      case "workspace:command":
      case "workspace:committed":
      case "workspace:keeping":
      case "workspace:ignored":
        return;
      default:
        record = workspaceAfter(record, event);
    }
  };
  const { signal } = new AbortController();
  const job = (): WorkspaceJob => ({
    id,
    agent: "coder",
    prompt: "",
    before: record,
    note,
    record: async (event) => note(event),
    warn: (message) => console.error(message),
    endProcesses: async () => {},
    checkpointed: () => {},
    keep: [],
    redact: (value) => value,
    env: {},
    named: [],
    signal,
    lost: signal,
    now: () => new Date(),
  });
  let made: Workspace | undefined;
  return {
    path: () => made?.path ?? repo,
    async setup() {
      made = await strategy.setup(job());
    },
    async teardown() {
      if (made) await strategy.teardown(job(), made, { kind: "cancelled", text: "", commands: [] });
      if (record?.state !== "removed") throw new Error(`the worktree is still there: ${record?.reason}`);
    },
  };
}

/** The next round must not share the disk with the deletion that goes on in the background. */
async function trashGone(repo: string): Promise<void> {
  const trash = join(repo, ".worktrees", ".trash");
  for (let look = 0; look < 1_000; look++) {
    if ((await readdir(trash).catch(() => [])).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function bigRepository(root: string): Promise<string> {
  const remote = join(root, "remote.git");
  const repo = join(root, "repo");
  await run("git", ["init", "-q", "--bare", "-b", "main", remote]);
  await run("git", ["init", "-q", "-b", "main", repo]);
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(repo, "src", `part-${folder}`);
    await mkdir(path, { recursive: true });
    await Promise.all(
      Array.from({ length: FILES_PER_FOLDER }, (_, file) =>
        writeFile(join(path, `file-${file}.txt`), `${folder}/${file}\n`.repeat(100)),
      ),
    );
  }
  await git(repo, "config", "user.name", "Bench");
  await git(repo, "config", "user.email", "bench@example.invalid");
  await git(repo, "add", "-A");
  await git(repo, "commit", "-qm", "Begin");
  await git(repo, "remote", "add", "origin", remote);
  await git(repo, "push", "-q", "origin", "main");
  return repo;
}

function git(folder: string, ...args: string[]) {
  return run("git", ["-C", folder, ...args]);
}
