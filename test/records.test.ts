import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openerOn } from "../src/cli/records/open.ts";
import type { JobEvent } from "../src/job/events.ts";
import { Journal } from "../src/jobs/journal.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore } from "../src/store/store.ts";
import { makeCheckpoint } from "../src/workspace/checkpoint.ts";
import { baton, git, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal } from "./terminal.ts";

const JOB = "job-2026-01-01-ab3k7x";
const scenario = { name: "silent", summary: "is never asked" };

let project: TestProject;
let base: string;

beforeEach(async () => {
  project = await testProject({ scenario });
  base = await git(project.folder, "rev-parse", "HEAD");
});

/** Puts a job on record as one that these things happened in. */
async function recorded(
  events: JobEvent[],
  { id = JOB, agent = "coder", at = new Date() } = {},
): Promise<void> {
  await using store = await openStore(join(project.folder, ".baton", "baton.db"));
  await createJob(store, id, { type: "job:created", agent, prompt: "Go", agentConfig: {} }, at);
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  for (const event of events) await journal.record(event);
}

const ready = (): JobEvent => ({ type: "workspace:ready", strategy: "static", path: project.folder, base });
const completed: JobEvent = { type: "job:completed", result: "Done." };
const failed: JobEvent = { type: "job:failed", error: "No." };
const write = (name: string, text: string | Buffer) => writeFileSync(join(project.folder, name), text);

async function worktree(branchKept: boolean): Promise<JobEvent[]> {
  const { folder: repo } = project;
  const path = join(repo, "..", "its-worktree");
  await git(repo, "worktree", "add", "-q", "-b", "work", path);
  writeFileSync(join(path, "new.txt"), "of the branch\n");
  await git(path, "add", "-A");
  await git(path, "commit", "-qm", "Work");
  await git(repo, "worktree", "remove", path);
  return [
    { type: "workspace:creating", repo, path, branch: "work", base, baseBranch: "main", takenUp: false },
    { type: "workspace:ready", strategy: "git_worktree", path, branch: "work", base },
    completed,
    { type: "workspace:removing", trash: "/nowhere" },
    { type: "workspace:removed", branchKept },
  ];
}

describe("baton jobs", () => {
  it("lists those of a status, of an agent, and since a moment", async () => {
    const day = 24 * 3_600_000;
    await recorded([completed], { id: "job-2026-01-01-aaaaaa", at: new Date(Date.now() - 3 * day) });
    await recorded([failed], { id: "job-2026-01-02-bbbbbb" });
    await recorded([completed], { id: "job-2026-01-03-cccccc", agent: "other" });
    const ids = async (...options: string[]) => {
      const { stdout } = await baton(project, ["ls", "--json", ...options]);
      return JSON.parse(stdout).map(({ id }: { id: string }) => id.at(-1));
    };
    expect(await ids()).toEqual(["c", "b", "a"]);
    expect(await ids("--status", "completed")).toEqual(["c", "a"]);
    expect(await ids("--status", "failed,paused")).toEqual(["b"]);
    expect(await ids("--agent", "other")).toEqual(["c"]);
    expect(await ids("--since", "1d", "--status", "completed")).toEqual(["c"]);
    const misspelt = await baton(project, ["jobs", "--agent", "codr"]);
    expect(misspelt).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "coder"?') });
    const { stderr } = await baton(project, ["jobs", "--status", "runing"]);
    expect(stderr).toContain("Did you mean running?");
    expect((await baton(project, ["ps"])).stdout).toBe("No job is running here.\n");
  });
});

describe("baton diff", () => {
  it("shows the folder of a job, untracked files too, and leaves its index alone", async () => {
    await recorded([ready(), completed]);
    write("new.txt", "new\n");
    const index = readFileSync(join(project.folder, ".git", "index"));
    const { stdout, stderr } = await baton(project, ["diff", "ab3"]);
    expect(stdout).toContain("+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n");
    expect(stderr).toContain("others use");
    expect(readFileSync(join(project.folder, ".git", "index"))).toEqual(index);
    const stat = await baton(project, ["diff", "--stat"]);
    expect(stat.stdout).toMatch(/\+1 -0 {2}new\.txt\n/);
    const json = JSON.parse((await baton(project, ["diff", "--json"])).stdout);
    expect(json).toMatchObject({ job: JOB, from: base, files: [{ path: "new.txt", added: 1, removed: 0 }] });
  });

  it("shows what a job had done when it stopped, whatever was done since", async () => {
    write("new.txt", "by the job\n");
    const made = await makeCheckpoint(project.folder, JOB, "failed");
    if (!made) throw new Error("no checkpoint");
    await recorded([ready(), { type: "checkpoint", ...made, reason: "failed" }, failed]);
    write("new.txt", "by a person\n");
    const { stdout, stderr } = await baton(project, ["diff"]);
    expect(stdout).toContain("+by the job");
    expect(stderr).toBe("");
    expect((await baton(project, ["diff", JOB, "1"])).stdout).toBe(stdout);
    expect(await baton(project, ["diff", JOB, "2"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has: 1/),
    });
  });

  it("shows the branch of a job whose worktree is gone, or what was kept of it", async () => {
    await recorded(await worktree(true));
    const { stdout } = await baton(project, ["diff"]);
    expect(stdout).toContain("+of the branch");
    const { commit } = { commit: await git(project.folder, "rev-parse", "work") };
    await git(project.folder, "update-ref", `refs/baton/${JOB}/1`, commit);
    await git(project.folder, "branch", "-qD", "work");
    expect((await baton(project, ["diff"])).stdout).toBe(stdout);
    await git(project.folder, "update-ref", "-d", `refs/baton/${JOB}/1`);
    const gone = await baton(project, ["diff"]);
    expect(gone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("neither a branch nor a checkpoint"),
    });
  });

  it("prints a patch that brings the work to another folder, byte for byte", async () => {
    await recorded([ready(), completed]);
    const text = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0d, 0x0a]);
    const image = Buffer.from([0, 1, 2, 0, 255, 10, 0]);
    write("latin.txt", text);
    write("image.bin", image);
    const { folder } = project;
    const elsewhere = join(folder, "..", "elsewhere");
    await git(folder, "clone", "-q", folder, elsewhere);
    const { spawnSync } = await import("node:child_process");
    const { stdout } = spawnSync(process.execPath, [project.program, "diff"], {
      cwd: folder,
      env: project.env,
    });
    writeFileSync(join(elsewhere, "..", "work.patch"), stdout);
    await git(elsewhere, "apply", "../work.patch");
    expect(readFileSync(join(elsewhere, "latin.txt"))).toEqual(text);
    expect(readFileSync(join(elsewhere, "image.bin"))).toEqual(image);
  });

  it("is read in colours on a terminal, through the user's pager where it is long", async () => {
    needs("script");
    await recorded([ready(), completed]);
    write("evil.txt", "\u001b]0;owned\u0007\n".repeat(3));
    const short = await onTerminal(project, { columns: 80 }, ["diff"]);
    expect(short.output).toContain("\u001b[32m+");
    expect(short.output).not.toContain("\u001b]0;");
    write("long.txt", "line\n".repeat(200));
    const paged = { ...project, env: { ...project.env, PAGER: "sed 's/^/> /'" } };
    const { output } = await onTerminal(paged, { columns: 80 }, ["diff"]);
    expect(output).toContain("> \u001b[1mdiff --git");
  });

  it("says why it cannot know", async () => {
    const plain = join(project.folder, "..", "plain");
    await mkdir(plain);
    await recorded([{ type: "workspace:ready", strategy: "static", path: plain }, completed]);
    const { code, stderr } = await baton(project, ["diff"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("not in a git repository") });
  });
});

describe("baton open", () => {
  it("says where the pull request or the folder is", async () => {
    const proposed: JobEvent = {
      type: "workspace:proposed",
      url: "https://example.invalid/pull/7",
      created: true,
    };
    await recorded([...(await worktree(true)), proposed]);
    expect((await baton(project, ["open"])).stdout).toBe("https://example.invalid/pull/7\n");
    expect((await baton(project, ["open", "--folder"])).stdout).toBe(`${project.folder}\n`);
  });

  it("opens no address that is not one of the web, and no folder that is gone", async () => {
    const path = join(project.folder, "..", "gone");
    await recorded([
      { type: "workspace:ready", strategy: "static", path },
      { type: "workspace:proposed", url: "file:///etc/passwd", created: true },
    ]);
    expect(await baton(project, ["open"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is gone"),
    });
  });

  it.each([
    ["linux" as const, { DISPLAY: ":0" }, "xdg-open"],
    ["linux" as const, { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
    ["linux" as const, {}, undefined],
    ["darwin" as const, {}, "open"],
  ])("on %s with %j is shown by %s", (platform, env, program) => {
    expect(openerOn(platform, env)).toBe(program);
  });
});

describe("baton forget", () => {
  it("removes the record, and neither a ref nor a document", async () => {
    const made = await makeCheckpoint(project.folder, JOB, "failed");
    const documentPath = join(project.folder, "handoff.md");
    writeFileSync(documentPath, "# Handoff\n");
    if (!made) throw new Error("no checkpoint");
    await recorded([ready(), { type: "checkpoint", ...made, reason: "failed" }, failed]);
    const { code, stderr } = await baton(project, ["forget", "ab3"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("baton forget --yes") });
    expect(await baton(project, ["rm", "ab3", "--yes"])).toMatchObject({
      code: 0,
      stdout: `${JOB} is forgotten.\n`,
    });
    expect(JSON.parse((await baton(project, ["jobs", "--json"])).stdout)).toEqual([]);
    expect(await git(project.folder, "rev-parse", made.ref)).toBe(made.commit);
    expect(existsSync(documentPath)).toBe(true);
  });

  it("asks on a terminal, and says what stays", async () => {
    needs("script");
    const made = await makeCheckpoint(project.folder, JOB, "failed");
    if (!made) throw new Error("no checkpoint");
    await recorded([ready(), { type: "checkpoint", ...made, reason: "failed" }, failed]);
    const no = await onTerminal(project, { columns: 80, typed: [["[y/N]", "n\r"]] }, ["forget", "ab3"]);
    expect(no.code).toBe(130);
    expect(no.output).toContain("cannot be resumed afterwards");
    expect(no.output).toContain("These stay: 1 checkpoint in git.");
    const yes = await onTerminal(project, { columns: 80, typed: [["[y/N]", "y\r"]] }, ["forget", "ab3"]);
    expect(yes.code).toBe(0);
    expect(yes.output).toContain("is forgotten");
  });

  it("refuses a job that runs, and one that has a worktree", async () => {
    await recorded([{ type: "job:started", pid: 1, marker: "m" }]);
    const running = await baton(project, ["forget", "--yes", JOB]);
    expect(running.code).toBe(2);
    const other = "job-2026-01-02-zzzzzz";
    const [creating, isReady, done] = await worktree(false);
    if (!creating || !isReady || !done) throw new Error("too few events");
    await recorded([creating, isReady, done], { id: other });
    const { code, stderr } = await baton(project, ["forget", "--yes", other]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("still has its worktree") });
    rmSync(join(project.folder, "..", "its-worktree"), { recursive: true, force: true });
  });
});
