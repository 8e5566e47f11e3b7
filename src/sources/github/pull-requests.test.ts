import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGitHub } from "../../../test/github-server.ts";
import { GitHubConnection } from "./connection.ts";
import { pullRequestsFor } from "./pull-requests.ts";
import { tokenSignIn } from "./sign-in.ts";

const run = promisify(execFile);
const { signal } = new AbortController();

/** A repository with the branch `work`, which is one commit ahead of `main`. */
async function repository() {
  const gitDir = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(gitDir, { recursive: true, force: true }));
  const git = async (...args: string[]) => (await run("git", ["-C", gitDir, ...args])).stdout.trim();
  await git("init", "-q", "--bare");
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  const tree = await git("hash-object", "-w", "-t", "tree", "/dev/null");
  const first = await git(...who, "commit-tree", tree, "-m", "First");
  await git("update-ref", "refs/heads/main", first);
  await git(
    "update-ref",
    "refs/heads/work",
    await git(...who, "commit-tree", tree, "-p", first, "-m", "Second"),
  );
  await git("update-ref", "refs/heads/idle", first);
  return gitDir;
}

async function start() {
  const github = await startGitHub();
  const gitDir = await repository();
  const app = github.repo("acme/app", { gitDir, collaborators: { robot: "write" } });
  const other = github.repo("acme/other", { gitDir, collaborators: { robot: "write" } });
  const signIn = tokenSignIn(github.accounts.token("robot"), "GITHUB_TOKEN");
  const connection = new GitHubConnection({ apiUrl: github.url, signIn, sleep: async () => {} });
  const open = (given: { address?: string; branch?: string } = {}) =>
    pullRequestsFor(
      { connection, repo: "acme/app" },
      "17",
    )({
      address: "/srv/git/app.git",
      branch: "work",
      baseBranch: "main",
      title: "17: Fix login",
      body: "Fixed it.",
      signal,
      ...given,
    });
  return { github, app, other, open, [Symbol.asyncDispose]: github.close };
}

describe("a pull request over the API", () => {
  it("is opened once, closes the issue when it is merged, and is found again", async () => {
    await using at = await start();
    const first = await at.open();
    expect(first).toEqual({ url: expect.stringMatching(/\/acme\/app\/pull\/1$/) });
    expect(await at.open()).toEqual(first);
    expect([...at.app.pulls.values()]).toEqual([
      expect.objectContaining({
        title: "17: Fix login",
        body: "Closes #17\n\nFixed it.",
        head: "work",
        base: "main",
      }),
    ]);
  });

  it.each(["502-after", "reset-after"] as const)("is not opened twice after %s", async (how) => {
    await using at = await start();
    at.github.fault({ method: "POST", path: /\/pulls$/, how });
    expect(await at.open()).toEqual({ url: expect.stringMatching(/\/pull\/1$/) });
    expect(at.app.pulls.size).toBe(1);
    expect(at.github.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("is tried again where it never arrived", async () => {
    await using at = await start();
    at.github.fault({ method: "POST", path: /\/pulls$/, how: "reset" });
    expect(await at.open()).toEqual({ url: expect.stringMatching(/\/pull\/1$/) });
  });

  it("says why where there is none: no branch there, nothing new on it, no rights", async () => {
    await using at = await start();
    expect(await at.open({ branch: "gone" })).toEqual({
      problem: expect.stringContaining("No pull request was opened for gone: "),
    });
    expect(await at.open({ branch: "idle" })).toEqual({ problem: expect.stringContaining("422") });
    at.app.collaborators.set("robot", "read");
    expect(await at.open()).toEqual({ problem: expect.stringContaining("404") });
    expect(at.app.pulls.size).toBe(0);
  });

  it("goes where the branch is, and leaves other hosts alone", async () => {
    await using at = await start();
    expect(await at.open({ address: "git@gitlab.com:acme/app.git" })).toBeUndefined();
    expect(await at.open({ address: "https://github.com/acme/app.git" })).toBeUndefined();
    expect(await at.open({ address: "work-github:acme/else.git" })).toBeUndefined();
    expect(at.github.requests).toEqual([]);
    const { host } = new URL(at.github.url);
    expect(await at.open({ address: `http://${host}/acme/other.git` })).toEqual({
      url: expect.stringContaining("/acme/other/pull/1"),
    });
    expect(at.other.pulls.get(1)?.body).toBe("For acme/app#17\n\nFixed it.");
    expect(await at.open({ address: "work-github:acme/app.git" })).toEqual({
      url: expect.stringContaining("/acme/app/pull/1"),
    });
  });
});
