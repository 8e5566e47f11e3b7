import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { pushBranch, pushWithRetries } from "./push.ts";

const run = promisify(execFile);

beforeEach(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});

/** A repository with one commit and a bare remote that has nothing yet. */
async function createPair() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "baton-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [repo, bare] = [join(folder, "repo"), join(folder, "bare.git")];
  await run("git", ["init", "-q", "--bare", bare]);
  await run("git", ["init", "-q", "-b", "main", repo]);
  const gitIn =
    (where: string) =>
    async (...args: string[]) =>
      (await run("git", ["-C", where, ...args])).stdout.trimEnd();
  const git = gitIn(repo);
  await git("config", "user.name", "Test");
  await git("config", "user.email", "test@example.invalid");
  await git("remote", "add", "origin", bare);
  const commit = async (subject: string) => {
    await git("commit", "-q", "--allow-empty", "-m", subject);
    return git("rev-parse", "HEAD");
  };
  const hook = async (name: string, script: string, where = bare) => {
    const path = join(where, "hooks", name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  };
  const push = {
    folder: repo,
    root: repo,
    remote: "origin",
    commit: await commit("First"),
    branch: "agent/x",
    hooks: true,
  };
  return { repo, bare, git, there: gitIn(bare), commit, hook, push };
}

describe("a push", () => {
  it("has the agent's environment, and never another repository's", async () => {
    const { repo, there, hook, push } = await createPair();
    const seen = join(repo, "..", "seen");
    await hook("pre-push", `echo "$TOKEN" > '${seen}'`, join(repo, ".git"));
    const env = { PATH: process.env.PATH ?? "", TOKEN: "of the agent", GIT_DIR: "/nowhere" };
    expect(await pushBranch({ ...push, env })).toMatchObject({ ok: true });
    expect(await readFile(seen, "utf8")).toBe("of the agent\n");
    expect(await there("rev-parse", "agent/x")).toBe(push.commit);
  });

  it("puts the commit on the branch, changes no configuration, and can be done again", async () => {
    const { git, there, push } = await createPair();
    await git("tag", "-a", "v1", "-m", "tag");
    await git("config", "push.followTags", "true");
    const before = await git("config", "--list", "--local");
    expect(await pushBranch(push)).toMatchObject({ ok: true });
    expect(await pushBranch(push)).toMatchObject({ ok: true });
    expect(await there("for-each-ref", "--format=%(refname) %(objectname)")).toBe(
      `refs/heads/agent/x ${push.commit}`,
    );
    expect(await git("config", "--list", "--local")).toBe(before);
  });

  it.each(["emoji-🚀/ü", "a'b\"c$(id)`id`", "x;y&z|w", "100%/@", "long/".repeat(30).slice(0, -1)])(
    "takes a branch named %s",
    async (branch) => {
      const { there, push } = await createPair();
      expect(await pushBranch({ ...push, branch })).toMatchObject({ ok: true });
      expect(await there("rev-parse", `refs/heads/${branch}`)).toBe(push.commit);
    },
  );

  it("is rejected where the branch there has other work, which stays", async () => {
    const { git, there, commit, push } = await createPair();
    await pushBranch(push);
    await git("checkout", "-q", "--orphan", "other");
    const other = await commit("Other");
    const result = await pushBranch({ ...push, commit: other });
    expect(result).toEqual({
      ok: false,
      reason: "rejected",
      said: expect.stringContaining("non-fast-forward"),
    });
    expect(await there("rev-parse", "agent/x")).toBe(push.commit);
  });

  it("runs no hook of the repository that the user has not allowed, but has Git LFS upload its files", async () => {
    const { repo, hook, push } = await createPair();
    const ran = join(repo, "..", "ran");
    await hook("pre-push", `touch '${ran}'; exit 1`, join(repo, ".git"));
    expect(await pushBranch({ ...push, hooks: false })).toMatchObject({ ok: true });
    const bin = join(repo, "..", "bin");
    await mkdir(bin);
    await writeFile(join(bin, "git-lfs"), `#!/bin/sh\necho "$@" > '${bin}/said'\n`, { mode: 0o755 });
    await hook("pre-push", `touch '${ran}'\ngit lfs pre-push "$@"`, join(repo, ".git"));
    const env = { PATH: `${bin}:${process.env.PATH}` };
    expect(await pushBranch({ ...push, branch: "agent/lfs", hooks: false, env })).toMatchObject({ ok: true });
    expect(await readFile(join(bin, "said"), "utf8")).toMatch(/^pre-push origin /);
    expect(existsSync(ran)).toBe(false);
  });

  it("is refused by a hook of the server, of the repository, and by a name that is taken", async () => {
    const { repo, bare, hook, push } = await createPair();
    await hook("pre-receive", "echo 'not on a Friday: see http://user:hush-hush@127.0.0.1/' >&2; exit 1");
    const refused = (said: string) => ({ ok: false, reason: "refused", said: expect.stringContaining(said) });
    expect(await pushBranch(push)).toEqual(refused("not on a Friday: see http://***@127.0.0.1/"));
    await rm(join(bare, "hooks", "pre-receive"));
    await hook("pre-push", "echo 'tests first' >&2; exit 1", join(repo, ".git"));
    expect(await pushBranch(push)).toEqual(refused("tests first"));
    await rm(join(repo, ".git", "hooks", "pre-push"));
    await pushBranch(push);
    expect(await pushBranch({ ...push, branch: "agent/x/y" })).toEqual(refused("agent/x"));
  });

  it("finds a remote out of reach that is gone, unknown, or not listening", async () => {
    const { bare, git, push } = await createPair();
    const unreachable = { ok: false, reason: "unreachable" };
    expect(await pushBranch({ ...push, remote: "nobody" })).toMatchObject(unreachable);
    expect(await pushBranch({ ...push, remote: "--upload-pack=id" })).toMatchObject(unreachable);
    await rename(bare, `${bare}.moved`);
    expect(await pushBranch(push)).toMatchObject(unreachable);
    await git("remote", "set-url", "origin", "http://user:hush-hush@127.0.0.1:1/a.git");
    const result = await pushBranch(push);
    expect(result).toMatchObject(unreachable);
    expect(JSON.stringify(result)).not.toContain("hush");
  });

  it("says nothing secret where the server wants another password", async () => {
    const { git, push } = await createPair();
    const server = createServer((_, response) => response.writeHead(401).end("no")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await git("remote", "set-url", "origin", `http://user:hush-hush@127.0.0.1:${port}/a.git`);
    const result = await pushBranch(push);
    expect(result).toMatchObject({ ok: false, reason: "unreachable" });
    expect(JSON.stringify(result)).not.toContain("hush");
  });

  it("is not believed where the remote does not have the commit afterwards", async () => {
    const { hook, push } = await createPair();
    await hook("post-receive", "git update-ref -d refs/heads/agent/x");
    expect(await pushBranch(push)).toMatchObject({ ok: false, reason: "not-there" });
  });

  it("is read back from where it went", async () => {
    const { repo, bare, git, push } = await createPair();
    const fork = `${bare}.fork`;
    await run("git", ["init", "-q", "--bare", fork]);
    await git("config", "remote.origin.pushurl", fork);
    expect(await pushBranch(push)).toMatchObject({ ok: true });
    expect((await run("git", ["-C", repo, "ls-remote", fork])).stdout).toContain(push.commit);
    expect((await run("git", ["-C", repo, "ls-remote", bare])).stdout).toBe("");
  });

  it("gives the server its options, and goes without where it takes none", async () => {
    const { bare, there, hook, push } = await createPair();
    const options = ["merge_request.create", "merge_request.title=-- $(id) 'x'"];
    await there("config", "receive.advertisePushOptions", "false");
    expect(await pushBranch({ ...push, options })).toMatchObject({ ok: true });
    await there("config", "receive.advertisePushOptions", "true");
    const print = `printf '%s|' "$GIT_PUSH_OPTION_0" "$GIT_PUSH_OPTION_1" > "${bare}/got"; echo thanks`;
    await hook("post-receive", print);
    const result = await pushBranch({ ...push, branch: "second", options });
    expect(result).toEqual({ ok: true, said: expect.stringContaining("remote: thanks") });
    expect((await run("cat", [join(bare, "got")])).stdout).toBe(`${options.join("|")}|`);
  });
});

describe("trying again", () => {
  it("reaches a remote that comes back", async () => {
    const { bare, push } = await createPair();
    await rename(bare, `${bare}.moved`);
    const waits: number[] = [];
    const reports: string[] = [];
    const result = await pushWithRetries(push, "retry", {
      report: (message) => reports.push(message),
      sleep: async (ms) => {
        if (waits.push(ms) === 2) await rename(`${bare}.moved`, bare);
      },
    });
    expect(result).toMatchObject({ ok: true });
    expect(waits).toEqual([1_000, 4_000]);
    expect(reports).toEqual([
      expect.stringContaining("agent/x could not be pushed, next try in 1 s"),
      expect.stringContaining("next try in 4 s"),
    ]);
  });

  it.each([
    ["retry", [1_000, 4_000, 15_000]],
    ["warn", []],
    ["fail", []],
  ] as const)("with %s ends after the waits %j", async (policy, expected) => {
    const { bare, push } = await createPair();
    await rm(bare, { recursive: true });
    const waits: number[] = [];
    const sleep = async (ms: number) => waits.push(ms);
    const result = await pushWithRetries(push, policy, { report: () => {}, sleep });
    expect(result).toMatchObject({ ok: false, reason: "unreachable" });
    expect(waits).toEqual(expected);
  });

  it("is not done for a refusal, nor for a job that ends", async () => {
    const { bare, hook, push } = await createPair();
    await hook("pre-receive", "exit 1");
    const waits: number[] = [];
    const patience = { report: () => {}, sleep: async (ms: number) => waits.push(ms) };
    expect(await pushWithRetries(push, "retry", patience)).toMatchObject({ reason: "refused" });
    expect(waits).toEqual([]);
    await rm(bare, { recursive: true });
    const controller = new AbortController();
    const ending = pushWithRetries({ ...push, signal: controller.signal }, "retry", {
      report: () => controller.abort(),
    });
    expect(await ending).toMatchObject({ ok: false, reason: "unreachable" });
  });
});
