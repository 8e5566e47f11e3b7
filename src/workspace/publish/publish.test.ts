/** @module-tag slow */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { WorkspaceConfig } from "../../config/config.ts";
import { redactor } from "../../secrets/redact.ts";
import type { Outcome, WorkspaceEvent, WorkspaceJob } from "../workspace.ts";
import { publish } from "./publish.ts";

const run = promisify(execFile);

beforeEach(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});

interface Setting {
  config?: Partial<WorkspaceConfig>;
  branch?: string;
  job?: Partial<WorkspaceJob>;
}

/** A clone of a bare remote, with a worktree as Baton makes it. */
async function createJob({ config = {}, branch = "agent/coder/LIN-42", job: parts = {} }: Setting = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "baton-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [repo, bare, path] = [join(folder, "repo"), join(folder, "bare.git"), join(folder, "tree")];
  const gitIn =
    (where: string) =>
    async (...args: string[]) =>
      (await run("git", ["-C", where, ...args])).stdout.trimEnd();
  await run("git", ["init", "-q", "--bare", "-b", "main", bare]);
  await run("git", ["init", "-q", "-b", "main", repo]);
  const [main, git, there] = [gitIn(repo), gitIn(path), gitIn(bare)];
  await main("config", "user.name", "Test");
  await main("config", "user.email", "test@example.invalid");
  await main("remote", "add", "origin", bare);
  await writeFile(join(repo, "file.txt"), "1\n");
  await main("add", "-A");
  await main("commit", "-qm", "Begin");
  await main("commit", "-qm", "Base", "--allow-empty");
  await main("push", "-q", "origin", "main", "main:develop");
  const base = await main("rev-parse", "HEAD");
  await main("worktree", "add", "-q", "--no-track", "-b", branch, path, base);

  const events: WorkspaceEvent[] = [];
  const warnings: string[] = [];
  const job: WorkspaceJob = {
    id: "job-1",
    agent: "coder",
    prompt: "Fix the login",
    before: null,
    note: () => {},
    record: async (event) => void events.push(event),
    warn: (message) => warnings.push(message),
    endProcesses: async () => {},
    keep: [],
    checkpointed: () => {},
    redact: redactor({}),
    named: [],
    env: { PATH: process.env.PATH ?? "" },
    signal: new AbortController().signal,
    lost: new AbortController().signal,
    now: () => new Date(),
    ...parts,
  };
  const settings: WorkspaceConfig = {
    strategy: "git_worktree",
    worktreeDir: folder,
    branchPattern: "agent/{agent}/{workItem}",
    fetchBeforeSetup: true,
    onBranchConflict: "queue",
    keep: [],
    onFolderBusy: "warn",
    setupTimeoutMs: 1_000,
    ports: 0,
    envPrefix: "BATON",
    checkpointIntervalMs: 600_000,
    commitMessage: "agent: {summary}",
    commitHooks: false,
    pushOnSuccess: true,
    onPushFailure: "fail",
    createPr: false,
    cleanupOnFailure: true,
    ...config,
  };
  const workspace = { path, branch, base, worktree: { repo, baseBranch: "main" } };
  const done = (text: string, commands: string[] = []): Outcome => ({ kind: "completed", text, commands });
  const end = (outcome = done("Fixed **it**\n\nDetails."), remote: string | null = "origin") =>
    publish(job, workspace, remote ?? undefined, settings, outcome, { sleep: async () => {} });
  const write = (name: string, text: string) => writeFile(join(path, name), text);
  const refs = async () => (await there("for-each-ref", "--format=%(refname:short)")).split("\n");
  return {
    folder,
    repo,
    bare,
    path,
    base,
    branch,
    main,
    git,
    there,
    job,
    settings,
    workspace,
    events,
    warnings,
    done,
    end,
    write,
    refs,
  };
}

type Created = Awaited<ReturnType<typeof createJob>>;

const commitOf = async ({ git, write }: Created, subject: string) => {
  await write(`${subject}.txt`, subject);
  await git("add", "-A");
  await git("commit", "-qm", subject);
  return git("rev-parse", "HEAD");
};

describe("publishing", () => {
  it("commits what is left, pushes it and says so in the journal", async () => {
    const { branch, git, there, events, warnings, end, write } = await createJob();
    await write("new.txt", "new");
    const published = await end();
    const commit = await git("rev-parse", "HEAD");
    expect(published).toEqual({ kind: "published", commit, branch, pushed: true });
    expect(events).toEqual([
      { type: "workspace:committed", commit, files: 1 },
      { type: "workspace:pushing", remote: "origin", branch, commit },
      { type: "workspace:pushed", remote: "origin", branch, commit },
    ]);
    expect(await there("log", "-1", "--format=%B", branch)).toBe("agent: Fixed it\n\nDetails.");
    expect(warnings).toEqual([]);
    expect(await git("config", "--list", "--local")).not.toContain(`branch.${branch}`);
  });

  it("can be done again", async () => {
    const { events, end, write } = await createJob();
    await write("new.txt", "new");
    expect(await end()).toEqual(await end());
    expect(events.map(({ type }) => type)).toEqual([
      "workspace:committed",
      "workspace:pushing",
      "workspace:pushed",
      "workspace:pushing",
      "workspace:pushed",
    ]);
  });

  it("pushes what the agent committed itself, as it is", async () => {
    const created = await createJob();
    const commit = await commitOf(created, "Own");
    expect(await created.end()).toMatchObject({ kind: "published", commit, pushed: true });
    expect(created.events.map(({ type }) => type)).toEqual(["workspace:pushing", "workspace:pushed"]);
    expect(await created.there("rev-parse", created.branch)).toBe(commit);
  });

  it.each([
    ["request", {}, "agent: Fix the login"],
    [
      "item of a tracker",
      { workItem: { id: "17", title: "Login fails", source: "github:acme/app" } },
      "agent: Login fails",
    ],
  ])("takes the %s for a subject where the agent said nothing", async (_, job, expected) => {
    const { git, done, end, write } = await createJob({ job });
    await write("new.txt", "new");
    await end(done("  \n"));
    expect(await git("log", "-1", "--format=%B")).toBe(expected);
  });

  it("says before the merge what it closes because a commit of the agent says so, and leaves the commit alone", async () => {
    const asked: { body: string }[] = [];
    const openPullRequest: WorkspaceJob["openPullRequest"] = async (proposed) => {
      asked.push(proposed);
      return { url: "https://github.com/acme/app/pull/1" };
    };
    const workItem = { id: "17", title: "Login fails", source: "github:acme/app" };
    const created = await createJob({ config: { createPr: true }, job: { workItem, openPullRequest } });
    const commit = await commitOf(created, "Fixes #17, #3");
    await commitOf(created, "Tidy up");
    await created.end();
    const expected = `closes other issues too, as commit messages of the agent say: ${commit.slice(0, 7)} (\`#3\`).`;
    expect(asked).toMatchObject([{ body: expect.stringContaining(expected) }]);
    expect(created.warnings).toEqual([expect.stringContaining(expected)]);
    expect(await created.there("log", "-1", "--format=%s", `${created.branch}~1`)).toBe("Fixes #17, #3");
  });

  it("leaves nothing behind where nothing was done, nor where the base was only pulled in", async () => {
    const { main, git, repo, events, end, refs } = await createJob();
    expect(await end()).toEqual({ kind: "nothing" });
    await writeFile(join(repo, "theirs.txt"), "theirs");
    await main("add", "-A");
    await main("commit", "-qm", "Theirs");
    await main("push", "-q", "origin", "main");
    await git("merge", "-q", "origin/main");
    expect(await end()).toEqual({ kind: "nothing" });
    expect(events).toEqual([]);
    expect(await refs()).toEqual(["develop", "main"]);
  });

  it("keeps the work where nothing is pushed: by choice, or without a remote", async () => {
    const created = await createJob({ config: { createPr: true } });
    const commit = await commitOf(created, "Own");
    const { branch, settings, warnings } = created;
    const here = { kind: "published", commit, branch, pushed: false };
    expect(await created.end(undefined, null)).toEqual(here);
    settings.pushOnSuccess = false;
    expect(await created.end()).toEqual(here);
    settings.createPr = false;
    expect(await created.end()).toEqual(here);
    expect(warnings).toEqual([
      expect.stringContaining("the repository has no remote"),
      expect.stringContaining("push_on_success is off"),
    ]);
    expect(await created.refs()).toEqual(["develop", "main"]);
  });

  it("is refused as a whole where the rest cannot be committed", async () => {
    const created = await createJob();
    await commitOf(created, "Own");
    await run("git", ["init", "-q", join(created.path, "inner")]);
    expect(await created.end()).toEqual({ kind: "refused", reason: expect.stringContaining("inner in") });
    expect(created.events).toEqual([]);
    expect(await created.refs()).toEqual(["develop", "main"]);
  });
});

describe("where the agent went elsewhere", () => {
  it("a branch that it renamed or made is published under its name", async () => {
    const created = await createJob();
    await created.git("branch", "-m", "fix/login");
    const commit = await commitOf(created, "Own");
    expect(await created.end()).toMatchObject({ kind: "published", branch: "fix/login", pushed: true });
    expect(await created.there("rev-parse", "fix/login")).toBe(commit);
    await created.git("push", "-q", "origin", "HEAD:refs/heads/fix/login");
    expect(await created.end()).toMatchObject({ branch: "fix/login" });
  });

  it("work on no branch goes to the job's, here and there", async () => {
    const created = await createJob();
    await created.git("checkout", "-q", "--detach");
    const commit = await commitOf(created, "Own");
    expect(await created.end()).toMatchObject({ kind: "published", branch: created.branch, commit });
    expect(await created.there("rev-parse", created.branch)).toBe(commit);
    expect(await created.main("rev-parse", created.branch)).toBe(commit);
  });

  it("work on the base branch goes to the job's, also without a remote", async () => {
    const created = await createJob();
    await created.main("checkout", "-q", "--detach");
    await created.git("checkout", "-q", "main");
    const commit = await commitOf(created, "Own");
    expect(await created.end(undefined, null)).toMatchObject({
      kind: "published",
      branch: created.branch,
      commit,
    });
    expect(await created.main("rev-parse", created.branch)).toBe(commit);
  });

  it("work on an older commit is published, since the job's branch has nothing of its own", async () => {
    const created = await createJob();
    await created.git("checkout", "-q", "-b", "older", "HEAD~");
    await commitOf(created, "Own");
    expect(await created.end()).toMatchObject({ kind: "published", branch: "older", pushed: true });
  });

  it("nothing is ever pushed to the base branch, nor to one that others have", async () => {
    const created = await createJob();
    const { main, git, there, base, branch, warnings, end, write } = created;
    await main("checkout", "-q", "--detach");
    await git("checkout", "-q", "main");
    await write("new.txt", "new");
    expect(await end()).toMatchObject({ kind: "published", branch, pushed: true });
    expect(await there("rev-parse", "main")).toBe(base);
    expect(await main("rev-parse", "main")).toBe(base);

    await git("checkout", "-q", "-B", "develop");
    const commit = await commitOf(created, "More");
    expect(await end()).toMatchObject({ kind: "published", branch, commit, pushed: true });
    expect(await there("rev-parse", "develop")).toBe(base);
    expect(warnings).toEqual([expect.stringContaining("done on develop")]);
  });

  it("a job whose branch is the base branch is not pushed", async () => {
    const created = await createJob({ branch: "main-2" });
    await commitOf(created, "Own");
    created.workspace.worktree.baseBranch = "main-2";
    const published = await created.end();
    expect(published).toEqual({ kind: "refused", reason: expect.stringContaining("straight onto main-2") });
    expect(await created.refs()).toEqual(["develop", "main"]);
  });

  it("commits that would stay behind on the job's branch are named, also where HEAD has nothing new", async () => {
    const created = await createJob();
    await commitOf(created, "Left");
    await commitOf(created, "behind");
    await created.git("checkout", "-q", "--detach", created.base);
    const refused = { kind: "refused", reason: expect.stringContaining(`2 commits on ${created.branch}`) };
    expect(await created.end()).toEqual(refused);
    await created.git("checkout", "-q", "-b", "elsewhere");
    await commitOf(created, "Elsewhere");
    expect(await created.end()).toEqual(refused);
    expect(await created.refs()).toEqual(["develop", "main"]);
    await created.git("merge", "-q", "--no-edit", created.branch);
    expect(await created.end()).toMatchObject({ kind: "published", branch: "elsewhere" });
  });
});

describe("a push that fails", () => {
  it("is told with its reason, and the commit is there", async () => {
    const created = await createJob({ config: { onPushFailure: "retry" } });
    const { bare, git, branch, warnings, events } = created;
    await created.write("new.txt", "new");
    await rename(bare, `${bare}.gone`);
    const published = await created.end();
    expect(published).toEqual({
      kind: "published",
      commit: await git("rev-parse", branch),
      branch,
      pushed: false,
      pushFailure: expect.stringContaining(bare),
    });
    expect(warnings).toHaveLength(3);
    expect(events.map(({ type }) => type)).toEqual(["workspace:committed", "workspace:pushing"]);
    await rename(`${bare}.gone`, bare);
    expect(await created.end()).toMatchObject({ pushed: true });
  });

  it("does not overwrite what others pushed to the branch", async () => {
    const created = await createJob();
    const { repo, main, branch, there } = created;
    await main("checkout", "-q", "--detach");
    await writeFile(join(repo, "theirs.txt"), "theirs");
    await main("add", "-A");
    await main("commit", "-qm", "Theirs");
    await main("push", "-q", "origin", `HEAD:refs/heads/${branch}`);
    const theirs = await main("rev-parse", "HEAD");
    await commitOf(created, "Ours");
    expect(await created.end()).toMatchObject({
      pushed: false,
      pushFailure: expect.stringContaining("[rejected]"),
    });
    expect(await there("rev-parse", branch)).toBe(theirs);
  });

  it("stops with the job, and does nothing for a job that is somebody else's", async () => {
    const ended = await createJob({
      job: { signal: AbortSignal.abort() },
      config: { onPushFailure: "retry" },
    });
    await ended.write("new.txt", "new");
    expect(await ended.end()).toMatchObject({
      kind: "published",
      pushed: false,
      pushFailure: expect.any(String),
    });
    expect(await ended.refs()).toEqual(["develop", "main"]);
    const lost = await createJob({ job: { lost: AbortSignal.abort() } });
    await lost.write("new.txt", "new");
    await expect(lost.end()).rejects.toThrow();
    expect(await lost.git("rev-parse", "HEAD")).toBe(lost.base);
  });
});

describe("pull requests", () => {
  /** A `gh` that is signed in and opens number 7. */
  async function signedIn(folder: string): Promise<Record<string, string>> {
    const bin = join(folder, "bin");
    await mkdir(bin);
    const script = `#!/bin/sh
case "$1 $2" in
  "auth status") ;;
  "pr list") echo "[]" ;;
  "pr create") printf '%s\\n' "$@" > "${folder}/arguments"; cat > "${folder}/body"; echo https://github.com/o/r/pull/7 ;;
  *) exit 1 ;;
esac`;
    await writeFile(join(bin, "gh"), script);
    await chmod(join(bin, "gh"), 0o755);
    return { PATH: `${bin}:${process.env.PATH}` };
  }

  const at = async ({ main, bare }: Created, url: string) => {
    await main("remote", "set-url", "origin", url);
    await main("remote", "set-url", "--push", "origin", bare);
  };

  it("opens a pull request with what was done and asked", async () => {
    const created = await createJob({
      config: { createPr: true },
      job: { workItem: { id: "LIN-42", title: "--web $(id) Fix auth" } },
    });
    await at(created, "https://github.com/o/r.git");
    Object.assign(created.job.env, await signedIn(created.folder));
    await created.write("new.txt", "new");
    expect(await created.end()).toMatchObject({ kind: "published", pushed: true });
    expect(created.events.at(-1)).toEqual({
      type: "workspace:proposed",
      url: "https://github.com/o/r/pull/7",
      created: true,
    });
    const { stdout: args } = await run("cat", [join(created.folder, "arguments")]);
    expect(args.split("\n")).toEqual(
      expect.arrayContaining([
        "--repo=github.com/o/r",
        "--base=main",
        `--head=${created.branch}`,
        "--title=LIN-42: --web $(id) Fix auth",
      ]),
    );
    const { stdout: body } = await run("cat", [join(created.folder, "body")]);
    expect(body).toMatch(/^Fixed \*\*it\*\*\n\nDetails\.[\s\S]*Fix the login[\s\S]*Job job-1 of coder/);
    expect(created.warnings).toEqual([]);
  });

  it("lets GitLab open the merge request at the push", async () => {
    const created = await createJob({ config: { createPr: true } });
    await at(created, "git@gitlab.com:g/r.git");
    created.job.env.PATH = join(created.folder, "nothing");
    await created.there("config", "receive.advertisePushOptions", "true");
    const hook = join(created.bare, "hooks", "post-receive");
    const url = "https://gitlab.com/g/r/-/merge_requests/5";
    await writeFile(hook, `#!/bin/sh\n[ "$GIT_PUSH_OPTION_0" = merge_request.create ] && echo "  ${url}"\n`);
    await chmod(hook, 0o755);
    await commitOf(created, "Own");
    expect(await created.end()).toMatchObject({ pushed: true });
    expect(created.events.at(-1)).toEqual({ type: "workspace:proposed", url, created: true });
  });

  it("warns where it cannot, and gives the page where it knows one", async () => {
    const created = await createJob({ config: { createPr: true } });
    await commitOf(created, "Own");
    expect(await created.end()).toMatchObject({ kind: "published", pushed: true });
    expect(created.warnings).toEqual([expect.stringContaining("is not on a forge that Baton knows")]);
    await at(created, "https://github.com/o/r.git");
    created.job.env.PATH = join(created.folder, "nothing");
    expect(await created.end()).toMatchObject({ kind: "published", pushed: true });
    expect(created.events.at(-1)).toEqual({
      type: "workspace:proposed",
      url: `https://github.com/o/r/compare/main...${created.branch}?expand=1`,
      created: false,
    });
  });
});

it.each(["agent/🚀-ü", "a'b\"c;$(id)", "x&y|z`id`", "a".repeat(180), "%00/@x"])(
  "publishes a branch called %s",
  async (branch) => {
    const created = await createJob({ branch });
    await created.write("-new $(id).txt", "new");
    const outcome = created.done(`-- $(id) \u0000\u001b[31m\n\n#comment\n${branch}`);
    expect(await created.end(outcome)).toMatchObject({ kind: "published", branch, pushed: true });
    const commit = await created.git("rev-parse", "HEAD");
    expect(await created.there("rev-parse", `refs/heads/${branch}`)).toBe(commit);
    expect(await created.git("log", "-1", "--format=%B")).toBe(`agent: -- $(id)\n\n#comment\n${branch}`);
  },
);
