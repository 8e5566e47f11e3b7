import { execFile } from "node:child_process";
import { appendFile, chmod, cp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { baton, git, ofType, shown } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { openJobs } from "./workspace-job.ts";
import { listedWorktrees, type WorktreeProject, worktreeProject, worktreesIn } from "./worktree.ts";

const run = promisify(execFile);
const BRANCH = "agent/coder/LIN-1";
const item = { workItem: "LIN-1" };
const runItem = (command: string) => ["run", "coder", told(command), "--work-item", "LIN-1", "--json"];

async function script(path: string, lines: string) {
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
}

/** A resume finishes what was left of the ending, without the agent. */
async function resumed(project: WorktreeProject, id: string) {
  const asked = project.simulator.requests.length;
  const { code } = await baton(project, ["resume", id, "--json"]);
  expect(code).toBe(0);
  expect(project.simulator.requests).toHaveLength(asked);
  expect(await shown(project)).toMatchObject({ id, status: "completed", workspace: { state: "removed" } });
  expect(await worktreesIn(project)).toEqual([]);
}

it("ignored files are named at the end: kept ones are in the project, small ones in the checkpoint", async () => {
  const project = await worktreeProject({ scenario: obedient(), workspace: "keep: ['*.html']" });
  await appendFile(join(project.folder, ".git", "info", "exclude"), "*.html\n*.log\n");
  const command = "echo 1 > one; echo '<p>' > report.html; echo started > app.log";
  const { code, stdout } = await baton(project, runItem(command).slice(0, -1));
  expect(code).toBe(0);
  expect(stdout).toContain(
    "ignored files that the job created\n    moved to the project: report.html (4 B)\n    in the checkpoint: app.log (8 B)\n",
  );
  expect(await readFile(join(project.folder, "report.html"), "utf8")).toBe("<p>\n");
  const into = join(project.folder, "..", "restored");
  expect((await baton(project, ["restore", (await shown(project)).id, "--to", into])).code).toBe(0);
  expect((await readdir(into)).sort()).toEqual(["app.log", "baton.yaml", "one"]);
});

describe("what is left uncommitted", () => {
  it("is committed with commit_message, and what the agent committed itself stays as it is", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      workspace: 'commit_message: "{agent}: {summary} ({workItem})\\n\\nJob: {jobId}"',
    });
    const command = "echo 1 > one; git add one; git commit -qm 'My own words'; echo 2 > two";
    expect((await baton(project, runItem(command))).code).toBe(0);
    const { id } = await shown(project);
    expect(await git(project.remote, "log", "-2", "--format=%s", BRANCH)).toBe(
      "coder: Done as told. (LIN-1)\nMy own words",
    );
    expect(await git(project.remote, "log", "-1", "--format=%b", BRANCH)).toBe(`Job: ${id}`);
  });

  it("is nothing when the agent has committed everything: no commit is added", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const ran = await baton(project, runItem("echo 1 > one; git add one; git commit -qm 'All of it'"));
    expect(ran.code).toBe(0);
    expect(ofType(ran.events, "workspace:committed")).toEqual([]);
    expect(await git(project.remote, "log", "-2", "--format=%s", BRANCH)).toBe("All of it\nBegin");
  });

  it("stays in the worktree when a pre-commit hook rejects it, and a resume commits and pushes it", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const hook = join(project.folder, ".git", "hooks", "pre-commit");
    await script(hook, "echo the linter is not happy >&2; exit 1");
    const { code } = await baton(project, runItem("echo 1 > one"));
    expect(code).toBe(1);
    const job = await shown(project);
    expect(job).toMatchObject({ status: "failed", workspace: { state: "kept" } });
    expect(job.error).toContain("the linter is not happy");
    expect(await readFile(join(job.workspace.path, "one"), "utf8")).toBe("1\n");
    expect((await listedWorktrees(project))[0]?.reason).toContain("the linter is not happy");
    await rm(hook);
    await resumed(project, job.id);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });

  it("arrives although a killed git of the agent's left its lock", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const { code } = await baton(
      project,
      runItem('echo 1 > one; touch "$(git rev-parse --git-dir)/index.lock"'),
    );
    expect(code).toBe(0);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });

  it("stays in the worktree while somebody holds index.lock, and the message names the lock", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await writeFile(join(job.workspace.path, "one"), "1\n");
    const lock = join(project.folder, ".git", "worktrees", job.id, "index.lock");
    const held = await open(lock, "wx");
    const failed = await job.end("completed");
    expect(failed).toMatchObject({ status: "failed", error: expect.stringContaining(`delete ${lock}`) });
    await held.close();
    await rm(lock);
    await resumed(project, job.id);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });

  it("survives a full disk, and a resume goes on when there is room", async ({ skip }) => {
    const project = await worktreeProject({ scenario: obedient() });
    const objects = join(project.folder, ".git", "objects");
    const copy = join(project.folder, "..", "objects");
    await cp(objects, copy, { recursive: true });
    const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", objects]).catch(
      () => undefined,
    );
    if (!mounted) return skip("only root can mount a small file system");
    onTestFinished(async () => void (await run("umount", [objects]).catch(() => {})));
    await cp(copy, objects, { recursive: true });

    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await run("dd", ["if=/dev/urandom", `of=${join(job.workspace.path, "big")}`, "bs=1M", "count=1"]);
    const filler = join(objects, "filler");
    await run("dd", ["if=/dev/zero", `of=${filler}`, "bs=16k"]).catch(() => {});
    const failed = await job.end("completed");
    expect(failed).toMatchObject({ status: "failed", workspace: { state: "kept" } });
    expect(failed.error).toContain("No space left on device");
    expect(await git(job.workspace.path, "status", "--porcelain")).toBe("?? big");

    await rm(filler);
    await resumed(project, job.id);
    expect(await git(project.remote, "cat-file", "-s", `${BRANCH}:big`)).toBe(String(1024 * 1024));
  });
});

it("a job that would commit a repository inside the repository fails and says what to do", async () => {
  const project = await worktreeProject({ scenario: obedient() });
  const command = "git init -q inner && cd inner && git commit -q --allow-empty -m Begin && echo 1 > file";
  expect((await baton(project, runItem(command))).code).toBe(1);
  const { error, workspace } = await shown(project);
  expect(error).toContain("inner in ");
  expect(error).toContain("git submodule add");
  expect(workspace.state).toBe("kept");
  await rename(join(workspace.path, "inner"), join(project.folder, "..", "inner"));
  await resumed(project, (await shown(project)).id);
});
