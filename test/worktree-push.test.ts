import { execFile } from "node:child_process";
import { chmod, constants, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { Baton, baton, git, ofType, shown } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { openJobs } from "./workspace-job.ts";
import {
  branchesOf,
  listedWorktrees,
  type WorktreeProject,
  worktreeProject,
  worktreesIn,
} from "./worktree.ts";

const BRANCH = "agent/coder/LIN-1";
const item = { workItem: "LIN-1" };
const runItem = (command: string) => ["run", "coder", told(command), "--work-item", "LIN-1", "--json"];
const awayFrom = (remote: string) => remote.replace("remote.git", "away.git");

/** A resume finishes what was left of the ending, without the agent. */
async function resumed(project: WorktreeProject, id: string) {
  const asked = project.simulator.requests.length;
  expect((await baton(project, ["resume", id, "--json"])).code).toBe(0);
  expect(project.simulator.requests).toHaveLength(asked);
  expect(await shown(project)).toMatchObject({ id, status: "completed", workspace: { state: "removed" } });
  expect(await worktreesIn(project)).toEqual([]);
  expect(await branchesOf(project.folder)).toEqual(["main"]);
}

describe("a push that is rejected", () => {
  it("because the remote has other commits: the job fails, and a resume completes it once they are merged", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await writeFile(join(job.workspace.path, "one"), "1");
    await git(project.folder, "commit", "-q", "--allow-empty", "-m", "Somebody else's");
    await git(project.folder, "push", "-q", "origin", `main:${BRANCH}`);
    const failed = await job.end("completed");
    expect(failed).toMatchObject({ status: "failed", workspace: { state: "kept" } });
    expect(failed.error).toContain("[rejected]");
    expect(failed.error).toContain(`\`baton resume ${job.id}\``);
    expect(ofType(job.events, "warning")).toEqual([]);
    expect(await git(project.remote, "log", "-1", "--format=%s", BRANCH)).toBe("Somebody else's");

    await git(job.workspace.path, "fetch", "-q", "origin");
    await git(job.workspace.path, "merge", "-q", "-m", "Both", `origin/${BRANCH}`);
    await resumed(project, job.id);
    expect(await git(project.remote, "log", "--format=%s", BRANCH)).toContain("Somebody else's");
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });

  it("by a hook of the remote: the job fails with what the hook said, and a resume pushes again", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const hook = join(project.remote, "hooks", "pre-receive");
    await writeFile(hook, "#!/bin/sh\necho no pushes on Sundays >&2\nexit 1\n");
    await chmod(hook, 0o755);
    const { code } = await baton(project, runItem("echo 1 > one"));
    expect(code).toBe(1);
    const { id, error } = await shown(project);
    expect(error).toContain("no pushes on Sundays");
    expect(await listedWorktrees(project)).toMatchObject([
      { has: "worktree", action: "keep", reason: expect.stringContaining("no pushes on Sundays") },
    ]);
    const text = (await baton(project, ["worktrees"])).stdout;
    expect(text).toContain(id);
    expect(text).toContain("could not be pushed");
    await rm(hook);
    await resumed(project, id);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });
});

describe("a remote that is gone", () => {
  it("fail: the job fails, its work is committed, and a resume pushes it when the remote is back", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_push_failure: fail" });
    const command = `echo 1 > one; mv ${project.remote} ${awayFrom(project.remote)}`;
    expect((await baton(project, runItem(command))).code).toBe(1);
    const { id, workspace } = await shown(project);
    expect(workspace.state).toBe("kept");
    expect(await git(project.folder, "show", `${BRANCH}:one`)).toBe("1");
    await rename(awayFrom(project.remote), project.remote);
    await resumed(project, id);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });

  it("fail: work whose worktree was removed meanwhile is still pushed by a resume", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_push_failure: fail" });
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await writeFile(join(job.workspace.path, "one"), "1");
    await rename(project.remote, awayFrom(project.remote));
    expect((await job.end("completed")).status).toBe("failed");
    await writeFile(
      join(project.folder, "baton.yaml"),
      "agents:\n  - name: coder\n    workspace: { strategy: git_worktree }\nmaintenance: { worktree_cleanup: { max_worktree_age: 1ms } }\n",
    );
    expect((await baton(project, ["maintain"])).code).toBe(0);
    expect(await worktreesIn(project)).toEqual([]);
    expect(await branchesOf(project.folder)).toEqual([BRANCH, "main"]);

    await rename(awayFrom(project.remote), project.remote);
    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
    expect(await branchesOf(project.folder)).toEqual(["main"]);
  });

  it("warn: the job completes, and its branch stays here", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_push_failure: warn" });
    const command = `echo 1 > one; mv ${project.remote} ${awayFrom(project.remote)}`;
    const ran = await baton(project, runItem(command));
    expect(ran.code).toBe(0);
    expect(ofType(ran.events, "warning").map(({ message }) => message)).toEqual([
      expect.stringContaining(`${BRANCH} could not be pushed`),
    ]);
    expect(await git(project.folder, "show", `${BRANCH}:one`)).toBe("1");
    expect(await worktreesIn(project)).toEqual([]);
    expect(await listedWorktrees(project)).toMatchObject([{ has: "branch", branch: BRANCH }]);
  });

  it("retry: the push is tried again, and the job completes when the remote is back", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_push_failure: retry" });
    const running = new Baton(
      project,
      runItem(`echo 1 > one; mv ${project.remote} ${awayFrom(project.remote)}`),
    );
    await running.event((event) => event.type === "warning" && event.message.includes("next try in 1 s"));
    await rename(awayFrom(project.remote), project.remote);
    expect((await running.exit).code).toBe(0);
    expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
  });
});

/** A remote that takes a push and does not let go before it is told to, as when its hooks take long. */
async function holdingRemote(project: WorktreeProject) {
  const [taken, released] = [join(project.remote, "taken"), join(project.remote, "released")];
  await promisify(execFile)("mkfifo", [taken, released]);
  const hook = join(project.remote, "hooks", "post-receive");
  await writeFile(hook, `#!/bin/sh\necho 1 > ${taken}\ncat ${released}\n`);
  await chmod(hook, 0o755);
  return {
    taken: async () => void (await readFile(taken)),
    async release() {
      // Nobody waits for it any more where git was ended.
      const file = await open(released, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
      await file?.close();
      await rm(hook);
    },
  };
}

describe("a Baton that ends while the remote takes its push", () => {
  it("by SIGTERM has completed the job, because the remote has the work", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const remote = await holdingRemote(project);
    const running = new Baton(project, runItem("echo 1 > one"));
    await remote.taken();
    running.child.kill("SIGTERM");
    await running.exit;
    await remote.release();
    expect(await shown(project)).toMatchObject({ status: "completed", workspace: { state: "removed" } });
    expect(ofType(running.events, "warning")).toEqual([]);
  });

  it.each([
    ["others went on from its work", (folder: string, remote: string) => goOn(folder, remote, BRANCH)],
    [
      "its work was merged and the branch deleted",
      async (folder: string, remote: string) => {
        await goOn(folder, remote, "main");
        await git(remote, "update-ref", "-d", `refs/heads/${BRANCH}`);
      },
    ],
  ])(
    "by SIGKILL: where %s meanwhile, a resume completes the job without another push",
    async (_, meanwhile) => {
      const project = await worktreeProject({ scenario: obedient() });
      const remote = await holdingRemote(project);
      const running = new Baton(project, runItem("echo 1 > one"));
      await remote.taken();
      await running.kill();
      await remote.release();
      await meanwhile(project.folder, project.remote);
      const branches = await git(project.remote, "for-each-ref");
      const { id } = await shown(project);
      const env = { ...project.env, ANTHROPIC_API_KEY: "" };
      const again = await baton({ ...project, env }, ["resume", id, "--json"]);
      expect(again.code).toBe(0);
      expect(await shown(project)).toMatchObject({ status: "completed", workspace: { state: "removed" } });
      expect(await git(project.remote, "for-each-ref")).toBe(branches);
    },
  );
});

/** Somebody else commits on top of the job's work. */
async function goOn(folder: string, remote: string, branch: string): Promise<void> {
  const clone = `${folder}-clone`;
  await git(folder, "clone", "-q", "--branch", BRANCH, remote, clone);
  await git(
    clone,
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@x",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "More",
  );
  await git(clone, "push", "-q", "origin", `HEAD:${branch}`);
}

describe("a resume that only has to push", () => {
  it("needs no credentials of the agent, and one that has to work does", async () => {
    const project = await worktreeProject({ scenario: obedient(), workspace: "on_push_failure: fail" });
    const command = `echo 1 > one; mv ${project.remote} ${awayFrom(project.remote)}`;
    expect((await baton(project, runItem(command))).code).toBe(1);
    const { id } = await shown(project);
    await rename(awayFrom(project.remote), project.remote);
    const without = { ...project, env: { ...project.env, ANTHROPIC_API_KEY: "" } };
    expect((await baton(without, ["run", "coder", "Anything"])).code).toBe(2);
    await resumed(without, id);
  });
});
