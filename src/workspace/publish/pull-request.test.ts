import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPullRequest, pullRequestPushOptions } from "./pull-request.ts";

const run = promisify(execFile);

/**
 * Stands in for `gh` or `glab`: takes the flags that their manuals give, and no others, and writes down what it was
 * called with.
 */
const standIn = (forge: "gh" | "glab") => `#!/usr/bin/env node
const { parseArgs } = require("node:util");
const { appendFileSync, readFileSync, existsSync } = require("node:fs");
const text = { type: "string" };
const flags = ${JSON.stringify(FLAGS[forge])};
const [group, command, ...args] = process.argv.slice(2);
const known = flags[group + " " + command];
if (!known) { console.error("unknown command"); process.exit(1); }
const options = Object.fromEntries(known.map((name) => [name, name === "yes" ? { type: "boolean" } : text]));
const { values } = parseArgs({ args, options, strict: true, allowPositionals: false });
const stdin = values["body-file"] === "-" ? readFileSync(0, "utf8") : undefined;
appendFileSync(process.env.CALLS, JSON.stringify({ command: group + " " + command, values, stdin }) + "\\n");
const answer = JSON.parse(readFileSync(process.env.ANSWERS, "utf8"))[command] ?? { code: 1, err: "not signed in" };
if (answer.out) process.stdout.write(answer.out);
if (answer.err) process.stderr.write(answer.err);
process.exitCode = answer.code ?? 0;
`;

const FLAGS = {
  gh: {
    "auth status": ["hostname"],
    "pr list": ["repo", "state", "head", "json"],
    "pr create": ["repo", "base", "head", "title", "body-file"],
  },
  glab: {
    "auth status": ["hostname"],
    "mr list": ["repo", "source-branch", "output"],
    "mr create": ["repo", "source-branch", "target-branch", "title", "description", "yes"],
  },
};

type Answers = Record<string, { code?: number; out?: string; err?: string }>;

async function createPullRequest(url: string, programs: ("gh" | "glab")[] = [], answers: Answers = {}) {
  const home = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const folder = join(home, "repo");
  const bin = join(home, "bin");
  await mkdir(bin);
  await run("git", ["init", "-q", folder]);
  await run("git", ["-C", folder, "remote", "add", "origin", url]);
  for (const name of programs) {
    await writeFile(join(bin, name), standIn(name));
    await chmod(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    CALLS: join(home, "calls"),
    ANSWERS: join(home, "answers"),
  };
  await writeFile(env.ANSWERS, JSON.stringify(answers));
  await writeFile(env.CALLS, "");
  const calls = async () =>
    (await readFile(env.CALLS, "utf8"))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const pullRequest = {
    folder,
    remote: "origin",
    branch: "agent/x",
    baseBranch: "main",
    title: "--repo=evil $(id)",
    body: "-b\n`id` $(id)\n",
    env,
  };
  return { pullRequest, calls, folder };
}

const github = "git@github.com:o/r.git";
const gitlab = "https://gitlab.com/g/s/r.git";
const githubPage = "https://github.com/o/r/compare/main...agent/x?expand=1";
const gitlabPage =
  "https://gitlab.com/g/s/r/-/merge_requests/new?merge_request%5Bsource_branch%5D=agent%2Fx&merge_request%5Btarget_branch%5D=main";

describe("on GitHub", () => {
  it("gh opens the pull request, whatever its title and body are", async () => {
    const { pullRequest, calls } = await createPullRequest(github, ["gh"], {
      status: {},
      list: { out: "[]" },
      create: { out: "https://github.com/o/r/pull/7\n" },
    });
    expect(await openPullRequest(pullRequest)).toEqual({
      url: "https://github.com/o/r/pull/7",
      created: true,
    });
    expect(await calls()).toMatchObject([
      { command: "auth status", values: { hostname: "github.com" } },
      { command: "pr list", values: { repo: "github.com/o/r", head: "agent/x", state: "open" } },
      {
        command: "pr create",
        values: { repo: "github.com/o/r", base: "main", head: "agent/x", title: pullRequest.title },
        stdin: pullRequest.body,
      },
    ]);
  });

  it("the pull request that is open for the branch is taken, and nobody else's of that name", async () => {
    const list = (isCrossRepository: boolean) => ({
      out: JSON.stringify([{ url: "https://github.com/o/r/pull/3", isCrossRepository }]),
    });
    const create = { out: "https://github.com/o/renamed/pull/8\n" };
    const own = await createPullRequest(github, ["gh"], { status: {}, list: list(false), create });
    expect(await openPullRequest(own.pullRequest)).toEqual({
      url: "https://github.com/o/r/pull/3",
      created: true,
    });
    expect(await own.calls()).toHaveLength(2);
    const other = await createPullRequest(github, ["gh"], { status: {}, list: list(true), create });
    expect(await openPullRequest(other.pullRequest)).toEqual({
      url: "https://github.com/o/renamed/pull/8",
      created: true,
    });
  });

  it("a person opens it where gh is not signed in, or not there", async () => {
    const out = await createPullRequest(github, ["gh"]);
    expect(await openPullRequest(out.pullRequest)).toEqual({ url: githubPage, created: false });
    const missing = await createPullRequest(github);
    missing.pullRequest.env.PATH = join(missing.folder, "nothing");
    expect(await openPullRequest(missing.pullRequest)).toEqual({ url: githubPage, created: false });
  });

  it("the user reads why gh could not, and where to do it", async () => {
    const { pullRequest } = await createPullRequest(github, ["gh"], {
      status: {},
      list: { code: 1, err: "API rate limit" },
      create: { code: 1, err: "No commits between main and agent/x (https://u:hush@github.com/o/r)" },
    });
    const result = await openPullRequest(pullRequest);
    expect(result).toEqual({ problem: expect.stringContaining("No commits between main"), url: githubPage });
    expect(JSON.stringify(result)).not.toContain("hush");
    const silent = await createPullRequest(github, ["gh"], { status: {}, list: { out: "{" }, create: {} });
    expect(await openPullRequest(silent.pullRequest)).toHaveProperty("problem");
  });
});

describe("on GitLab", () => {
  it("glab opens the merge request, however long it is", async () => {
    const { pullRequest, calls } = await createPullRequest(gitlab, ["glab"], {
      status: {},
      list: { out: "[]" },
      create: { out: "!7 Title (agent/x)\n https://gitlab.com/g/s/r/-/merge_requests/7\n" },
    });
    const body = "ü€漢\n".repeat(15_000);
    expect(await openPullRequest({ ...pullRequest, body })).toEqual({
      url: "https://gitlab.com/g/s/r/-/merge_requests/7",
      created: true,
    });
    const [, , created] = await calls();
    expect(created.values).toMatchObject({
      repo: "https://gitlab.com/g/s/r",
      "source-branch": "agent/x",
      "target-branch": "main",
      title: pullRequest.title,
      yes: true,
    });
    expect(created.values.description.length).toBeLessThanOrEqual(40_000);
    expect(await pullRequestPushOptions(pullRequest)).toEqual([]);
  });

  it("the merge request that is open is taken", async () => {
    const open = {
      web_url: "https://gitlab.com/g/s/r/-/merge_requests/3",
      source_project_id: 1,
      target_project_id: 1,
    };
    const { pullRequest } = await createPullRequest(gitlab, ["glab"], {
      status: {},
      list: { out: JSON.stringify([{ ...open, web_url: "other", source_project_id: 2 }, open]) },
    });
    expect(await openPullRequest(pullRequest)).toEqual({ url: open.web_url, created: true });
  });

  it("without glab the push opens it, or else a person", async () => {
    const { pullRequest } = await createPullRequest(gitlab, ["glab"]);
    expect(await pullRequestPushOptions({ ...pullRequest, title: "a\nb" })).toEqual([
      "merge_request.create",
      "merge_request.target=main",
      "merge_request.title=a b",
    ]);
    const pushSaid =
      "remote: View merge request for agent/x:\nremote:   https://gitlab.com/g/s/r/-/merge_requests/5        \n";
    expect(await openPullRequest({ ...pullRequest, pushSaid })).toEqual({
      url: "https://gitlab.com/g/s/r/-/merge_requests/5",
      created: true,
    });
    const elsewhere = "remote: https://evil.example/g/s/r/-/merge_requests/5";
    expect(await openPullRequest({ ...pullRequest, pushSaid: elsewhere })).toEqual({
      url: gitlabPage,
      created: false,
    });
  });
});

it("has a page on Bitbucket, and none where the remote is a folder", async () => {
  const bitbucket = await createPullRequest("git@bitbucket.org:t/r.git");
  expect(await openPullRequest(bitbucket.pullRequest)).toEqual({
    url: "https://bitbucket.org/t/r/pull-requests/new?source=agent%2Fx&t=1",
    created: false,
  });
  const folder = await createPullRequest("/srv/git/r.git");
  expect(await openPullRequest(folder.pullRequest)).toEqual({
    problem: expect.stringContaining("/srv/git/r.git"),
  });
  expect(await pullRequestPushOptions(folder.pullRequest)).toEqual([]);
  expect(await openPullRequest({ ...folder.pullRequest, remote: "--none" })).toHaveProperty("problem");
});

describe("where the job has a token for it", () => {
  const told = (answer: { url: string } | { problem: string } | undefined) => {
    const asked: object[] = [];
    const byApi = async (proposed: object) => {
      asked.push(proposed);
      return answer;
    };
    return { asked, byApi };
  };

  it("no program is asked, and the pull request tells the same", async () => {
    const { pullRequest, calls } = await createPullRequest(github, ["gh"], { status: {} });
    const { asked, byApi } = told({ url: "https://github.com/o/r/pull/9" });
    const opened = await openPullRequest({ ...pullRequest, byApi });
    expect(opened).toEqual({ url: "https://github.com/o/r/pull/9", created: true });
    const { branch, baseBranch, title, body } = pullRequest;
    expect(asked).toMatchObject([{ address: github, branch, baseBranch, title, body }]);
    const refused = await openPullRequest({ ...pullRequest, ...told({ problem: "no rights" }) });
    expect(refused).toEqual({ problem: "no rights", url: githubPage });
    expect(await calls()).toEqual([]);
  });

  it("it does not hold for other hosts, and is enough where nobody knows the host for a forge", async () => {
    const elsewhere = await createPullRequest(gitlab);
    expect(await openPullRequest({ ...elsewhere.pullRequest, ...told(undefined) })).toEqual({
      url: gitlabPage,
      created: false,
    });
    const own = await createPullRequest("git@code.example.com:o/r.git");
    const url = "https://code.example.com/o/r/pull/1";
    expect(await openPullRequest({ ...own.pullRequest, ...told({ url }) })).toEqual({ url, created: true });
    expect(await openPullRequest({ ...own.pullRequest, ...told({ problem: "gone" }) })).toEqual({
      problem: "gone",
    });
  });
});
