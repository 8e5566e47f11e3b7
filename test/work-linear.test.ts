import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { jobsIn, waits } from "./fleet-jobs.ts";
import { startGitHub } from "./github-server.ts";
import { baton, git, inSmallWindows } from "./harness.ts";
import type { FakeIssue } from "./linear/workspace.ts";
import { linearProject, startFleet } from "./work-fleet.ts";
import { branchesOf, worktreesIn } from "./worktree.ts";

const shown = ({ state, labels, comments }: FakeIssue) => ({
  state: state.name,
  labels: labels.map(({ name }) => name),
  comments: comments.map(({ body }) => body),
});

it("takes an issue of Linear that is ready, works on it over three windows of Claude Code, and leaves it in review with its work attached", {
  tags: ["claude"],
}, async () => {
  const where = await linearProject({
    scenario: inSmallWindows(14),
    // With half a window left after its first answer, a session may hand off again.
    agent: "session: { context_threshold: 75000 }",
    workspace: "create_pr: true",
  });
  const issue = where.open("Write the files", "All of them.");
  const { says, end } = startFleet(where);
  await says("delivered");
  await end();
  const [job, ...others] = await jobsIn(where);
  expect(others).toEqual([]);
  expect(job).toMatchObject({
    status: "completed",
    workItem: { id: "ENG-1", title: "Write the files", source: expect.stringContaining("eng") },
  });
  expect(job?.sessions.length).toBeGreaterThanOrEqual(3);
  expect(job?.prompt).toContain("All of them.");
  const branch = "agent/coder/ENG-1";
  const files = await git(where.remote, "ls-tree", "--name-only", branch);
  expect(files.split("\n")).toEqual(expect.arrayContaining(["step-1.txt", "step-14.txt"]));
  expect(shown(issue)).toEqual({
    ...{ state: "In Review", labels: [] },
    comments: [expect.stringContaining("https://github.com/acme/shop/compare/")],
  });
  const [attached, ...more] = issue.attachments;
  expect(more).toEqual([]);
  expect(attached?.url).toContain(`https://github.com/acme/shop/compare/main...${branch}`);
  expect(await worktreesIn(where)).toEqual([]);
  expect(await branchesOf(where.folder)).toEqual(["main"]);
  const claims = await git(where.remote, "for-each-ref", "--format=%(contents)", "refs/baton/claims");
  expect(claims).toMatch(/"state": ?"done"/);
});

it("makes an issue of Linear ready again when its job fails, until that was tried too often", async () => {
  const where = await linearProject({
    scenario: waits,
    agent:
      'hooks: { before_run: [{ type: shell, command: "echo no luck >&2; exit 2", continue_on_error: false }] }',
    source: "attempts: 2",
  });
  const issue = where.open("Fix it", "Now.");
  const { says, lines, end } = startFleet(where);
  await says("marked as failed");
  await end();
  expect(lines().filter((line) => line.includes("is ready again"))).toHaveLength(1);
  expect(await jobsIn(where)).toMatchObject([{ status: "failed" }, { status: "failed" }]);
  expect(shown(issue)).toEqual({
    ...{ state: "Todo", labels: ["agent-failed"] },
    comments: [
      expect.stringContaining("attempt 1 of 2: it is ready to be tried again"),
      expect.stringContaining("attempt 2 of 2: it is not taken again"),
    ],
  });
});

it("keeps nobody waiting for a tracker that does not answer", async () => {
  const where = await linearProject({ scenario: { ...waits, otherwise: () => ({ say: "Nothing to do." }) } });
  const github = await startGitHub();
  onTestFinished(() => github.close());
  const repo = github.repo("acme/app", { collaborators: { alice: "write", robot: "write" } });
  where.env.GITHUB_TOKEN = github.accounts.token("robot");
  await appendFile(
    join(where.folder, "baton.yaml"),
    `  - name: fixer
    workspace: { strategy: git_worktree }
    work_source: { type: github, repo: acme/app, api_url: "${github.url}", poll: 1s }
`,
  );
  for (const [id, tracker] of [
    ["99", "github"],
    ["eng-99", "linear"],
  ] as const) {
    const none = await baton(where, ["work", "ignore", id]);
    expect(none.stderr).toMatch(new RegExp(`^baton: ${tracker}:\\S+ has no item ${id}`));
  }
  const { promise: met, resolve } = Promise.withResolvers<void>();
  github.fault({ method: "POST", how: "hang", times: 1_000, met: resolve });
  repo.open({ title: "Fix it", body: "Now.", by: "alice", labels: ["ready"] });
  const { says, lines, end } = startFleet(where);
  await met;
  const issue = where.open("Write the files", "Now.");
  await says("delivered");
  await github.close();
  await end();
  expect(lines().filter((line) => line.includes("delivered"))).toHaveLength(1);
  expect(shown(issue)).toMatchObject({ state: "In Review", labels: [] });
});

it("says what it would take, and with line and remedy which state the team does not have", async () => {
  const where = await linearProject({ scenario: waits, source: "states: { in_review: QA }" });
  const checked = await baton(where, ["config", "check", "--online"]);
  expect(checked.code).toBe(2);
  expect(checked.stderr).toMatch(/baton\.yaml:\d+:\d+ {2}.*QA/);
  const review = where.team.states.find(({ name }) => name === "In Review");
  if (review) review.name = "QA";
  expect(await baton(where, ["config", "check", "--online"])).toMatchObject({ code: 0, stderr: "" });
  where.open("Fix it", "Now.");
  const { stdout } = await baton(where, ["work"]);
  expect(stdout).toMatch(/ENG-1 .*Fix it\s+is next/);
});
