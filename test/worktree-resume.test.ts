import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, git, ofType, placeOf, shown } from "./harness.ts";
import { openJobs } from "./workspace-job.ts";
import { worktreesIn } from "./worktree.ts";
import { allArrived, BRANCH, item, leaveWork, projectWithOld, restored } from "./worktree-work.ts";

describe("a resume that fails while it brings the worktree back loses nothing: the next one brings it all", () => {
  it.each([
    ["checked out", ""],
    ["set up", 'setup_command: "test ! -f ../../broken"'],
  ])("when it cannot be %s", async (what, workspace) => {
    const project = await projectWithOld({ workspace });
    if (what === "checked out") {
      // A filter of the user's own, such as that of Git LFS, that fails.
      const smudge = `test ! -f '${join(project.folder, "broken")}' && cat`;
      await git(project.folder, "config", "filter.failing.smudge", smudge);
      await git(project.folder, "config", "filter.failing.required", "true");
      await git(project.folder, "config", "filter.failing.clean", "cat");
      await writeFile(join(project.folder, ".git", "info", "attributes"), "* filter=failing\n");
    }
    await using jobs = await openJobs(project.folder);
    const job = await jobs.setUp(item);
    await leaveWork(job);
    await job.end("failed", "It broke.");
    await writeFile(join(project.folder, "broken"), "");
    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(1);
    await rm(join(project.folder, "broken"));
    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
    await allArrived(project);
  });
});

it("a resume of a job whose branch another job works on says where that is, and changes nothing", async () => {
  const project = await projectWithOld();
  await using jobs = await openJobs(project.folder);
  const first = await jobs.setUp(item);
  await leaveWork(first);
  await first.end("failed", "It broke.");
  const second = await jobs.setUp(item);
  const { code, events } = await baton(project, ["resume", first.id, "--json"]);
  expect(code).toBe(1);
  const [failed] = ofType(events, "job:failed");
  expect(failed?.error).toContain(`${BRANCH} is checked out in ${second.workspace.path}`);
  expect(failed?.error).toContain(`\`baton resume ${first.id}\``);
  expect(await worktreesIn(project)).toEqual([second.id]);
  await restored(project, first.id);
});

it("a resume brings back all of a job whose worktree went because it had rested for too long", async () => {
  const project = await projectWithOld();
  await using jobs = await openJobs(project.folder);
  const job = await jobs.setUp(item);
  await leaveWork(job);
  await appendFile(join(project.folder, ".git", "info", "exclude"), "*.log\n");
  await writeFile(join(job.workspace.path, "app.log"), "started\n");
  await job.pause();
  const settings = "maintenance: { worktree_cleanup: { max_worktree_age: 1ms } }\n";
  await appendFile(join(project.folder, "baton.yaml"), settings);
  const maintained = await baton(project, ["maintain"]);
  expect(maintained.code).toBe(0);
  expect(await worktreesIn(project)).toEqual([]);
  expect(await git(project.folder, "worktree", "list")).not.toContain(job.id);
  expect(await shown(project)).toMatchObject({ status: "paused", workspace: { state: "removed" } });
  await restored(project, job.id);

  expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
  await allArrived(project);
  const refs = await git(project.folder, "for-each-ref", "--format=%(refname)", `refs/baton/${job.id}`);
  expect(await git(project.folder, "show", `${refs.split("\n").at(-1)}:app.log`)).toBe("started");
});

it("a resume finds the lock of a git that was killed out of the way before its agent works", async () => {
  const project = await projectWithOld();
  await using jobs = await openJobs(project.folder);
  const job = await jobs.setUp(item);
  const lock = join(await git(job.workspace.path, "rev-parse", "--absolute-git-dir"), "index.lock");
  await job.pause();
  await writeFile(lock, "half an index");
  const { code, events } = await baton(project, ["resume", job.id, "--json"]);
  expect(code).toBe(0);
  const said = placeOf(
    events,
    (event) => event.type === "warning" && event.message.includes(`${lock}.abandoned`),
  );
  expect(said).toBeLessThan(placeOf(events, ({ type }) => type === "session:starting"));
});

it("a resume of a paused job whose worktree somebody deleted brings back what a checkpoint holds", async () => {
  const project = await projectWithOld();
  await using jobs = await openJobs(project.folder);
  const job = await jobs.setUp(item);
  await git(job.workspace.path, "-c", "alias.work=!echo 1 > one; git add one; git commit -qm One", "work");
  await job.pause();
  await rm(job.workspace.path, { recursive: true });
  expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
  expect(await shown(project)).toMatchObject({
    status: "completed",
    workspace: { path: job.workspace.path },
  });
  expect(await git(project.remote, "show", `${BRANCH}:one`)).toBe("1");
});
