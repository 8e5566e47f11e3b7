import { access, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { git } from "../../../test/job-worktree.ts";
import { WorkspaceError } from "../workspace.ts";
import { initSubmodules } from "./submodules.ts";

const signal = new AbortController().signal;

let top: string;

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "baton-submodules-")));
  // Git takes no submodules from paths unless it is told to.
  vi.stubEnv("GIT_CONFIG_COUNT", "1");
  vi.stubEnv("GIT_CONFIG_KEY_0", "protocol.file.allow");
  vi.stubEnv("GIT_CONFIG_VALUE_0", "always");
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(top, { recursive: true, force: true });
  });
});

async function createRepository(name: string, submodules: Record<string, string> = {}) {
  const folder = join(top, name);
  await git(top, "init", "-q", "-b", "main", folder);
  await writeFile(join(folder, "file.txt"), name);
  for (const [path, from] of Object.entries(submodules)) {
    await git(folder, "submodule", "--quiet", "add", from, path);
  }
  await git(folder, "add", "-A");
  await git(folder, "commit", "-q", "-m", "Begin");
  return folder;
}

/** A clone, in which no submodule was ever registered, and worktrees of it. */
async function createWorktrees(from: string, count: number) {
  const clone = join(top, "clone");
  await git(top, "clone", "-q", from, clone);
  const paths = Array.from({ length: count }, (_, n) => join(top, `tree-${n}`));
  for (const path of paths) await git(clone, "worktree", "add", "-q", "--detach", path);
  return paths;
}

it("fetches submodules and theirs, in many worktrees at once", async () => {
  const inner = await createRepository("inner");
  const middle = await createRepository("middle", { deep: inner });
  const outer = await createRepository("outer", { "lib one": middle, two: inner, three: inner });
  const worktrees = await createWorktrees(outer, 6);
  await Promise.all(worktrees.map((worktree) => initSubmodules(worktree, signal)));
  for (const worktree of worktrees) {
    expect(await readFile(join(worktree, "lib one/deep/file.txt"), "utf8")).toBe("inner");
    expect(await readFile(join(worktree, "three/file.txt"), "utf8")).toBe("inner");
  }
});

it("does nothing where there are none", async () => {
  const [worktree = ""] = await createWorktrees(await createRepository("plain"), 1);
  await initSubmodules(worktree, signal);
  await initSubmodules(join(top, "nowhere"), signal);
});

it("says what git said when one cannot be had, and leaves out what the user said to", async () => {
  const inner = await createRepository("inner");
  const outer = await createRepository("outer", { lib: inner });
  const [worktree = ""] = await createWorktrees(outer, 1);
  await rm(inner, { recursive: true });
  const failed = initSubmodules(worktree, signal);
  await expect(failed).rejects.toThrow(WorkspaceError);
  await expect(failed).rejects.toThrow(/could not be fetched: .*inner' does not exist/s);
  await git(worktree, "config", "submodule.lib.update", "none");
  await initSubmodules(worktree, signal);
  await expect(access(join(worktree, "lib/file.txt"))).rejects.toThrow("ENOENT");
});

it("stops when the job is stopped", async () => {
  const [worktree = ""] = await createWorktrees(
    await createRepository("outer", { lib: await createRepository("inner") }),
    1,
  );
  await expect(initSubmodules(worktree, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});
