import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { adapters } from "../src/agents/registry.ts";
import { runFleet } from "../src/app/fleet/fleet.ts";
import type { FleetNews } from "../src/app/fleet/news.ts";
import { findProject } from "../src/app/project.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { agreeIn } from "./agree.ts";
import type { FakeRepository } from "./github/repository.ts";
import { type GitHubServer, startGitHub } from "./github-server.ts";
import { git, isAboutClaude } from "./harness.ts";
import type { FakeIssue, FakeTeam } from "./linear/workspace.ts";
import { type LinearServer, startLinear } from "./linear-server.ts";
import { eventually } from "./panes.ts";
import { scripted } from "./scripted/agent.ts";
import { type WorktreeProject, worktreeProject } from "./worktree.ts";

/** A project whose agent takes the issues of a repository on a GitHub of the test's own. */
export interface WorkProject extends WorktreeProject {
  github: GitHubServer;
  repo: FakeRepository;
}

interface WorkOptions {
  scenario: Scenario;
  /** More keys of the agent, and of its source, as in YAML. */
  agent?: string;
  source?: string;
  workspace?: string;
}

export async function workProject({
  scenario,
  agent = "",
  source = "",
  workspace = "",
}: WorkOptions): Promise<WorkProject> {
  const github = await startGitHub();
  onTestFinished(() => github.close());
  const collaborators = { alice: "write", robot: "write" } as const;
  const token = github.accounts.token("robot");
  const keys = ["type: github", "repo: acme/app", `api_url: "${github.url}"`, "poll: 1s", source].filter(
    Boolean,
  );
  const project = await worktreeProject({
    scenario,
    agent: [`work_source: { ${keys.join(", ")} }`, agent].filter(Boolean).join("\n"),
    workspace,
    env: { GITHUB_TOKEN: token },
  });
  const repo = github.repo("acme/app", { collaborators, gitDir: project.remote });
  return { ...project, github, repo };
}

/** A project whose agent takes the issues of a team in a Linear of the test's own. */
export interface LinearProject extends WorktreeProject {
  linear: LinearServer;
  team: FakeTeam;
  /** By a member of the workspace, who marks it as ready. */
  open(title: string, description: string): FakeIssue;
}

/** Its remote is on GitHub, to which nobody is signed in. */
export async function linearProject({
  scenario,
  agent = "",
  source = "",
  workspace = "",
}: WorkOptions): Promise<LinearProject> {
  const linear = await startLinear();
  onTestFinished(() => linear.close());
  const alice = linear.workspace.user("alice");
  const team = linear.workspace.team("ENG");
  const ready = linear.workspace.label("ready");
  const keys = ["type: linear", "team: ENG", `api_url: "${linear.url}"`, "poll: 1s", source].filter(Boolean);
  const project = await worktreeProject({
    scenario,
    agent: [`work_source: { ${keys.join(", ")} }`, agent].filter(Boolean).join("\n"),
    workspace,
    env: { LINEAR_API_KEY: linear.key(linear.workspace.user("robot")) },
  });
  const stand = join(project.folder, "..", "stand-in");
  await mkdir(stand);
  const ssh = join(stand, "ssh");
  const runs = `exec sh -c "$(echo "$2" | sed "s#'acme/shop.git'#${project.remote}#")"`;
  await writeFile(ssh, `#!/bin/sh\n${runs}\n`);
  await chmod(ssh, 0o755);
  await git(project.folder, "remote", "set-url", "origin", "git@github.com:acme/shop.git");
  // Also for what the fleet does on its own account: nothing of this goes out.
  for (const [name, value] of [
    ["GIT_SSH_COMMAND", ssh],
    ["GIT_SSH_VARIANT", "simple"],
  ] as const) {
    vi.stubEnv(name, value);
    project.env[name] = value;
  }
  const open = (title: string, description: string) => {
    const issue = linear.workspace.issue(team, title, { by: alice, description });
    linear.workspace.update(issue, alice, { addedLabelIds: [ready.id] });
    return issue;
  };
  return { ...project, linear, team, open };
}

/** A fleet in this process. Ended with the test, or before. */
export function startFleet(where: WorktreeProject) {
  const ending = new AbortController();
  const news: FleetNews[] = [];
  const before = adapters.claude;
  if (!isAboutClaude()) adapters.claude = async () => scripted;
  agreeIn(where);
  const over = runFleet({
    projects: [findProject({}, where.folder)],
    env: where.env,
    reach: { desktop: async () => {}, bell: () => {} },
    signal: ending.signal,
    begun: () => {},
    tell: (told) => void news.push(told),
  }).finally(() => {
    adapters.claude = before;
  });
  over.catch(() => {});
  const end = async () => {
    ending.abort();
    await over;
  };
  onTestFinished(async () => void (await end().catch(() => {})));
  const lines = () => news.flatMap((told) => (told.what === "work" ? [told.text] : []));
  /** Waits until it has said so of its work. */
  const says = async (text: string, times = 1) => {
    const isSaid = async () => lines().filter((line) => line.includes(text)).length >= times;
    const ended = over.then(() => Promise.reject(new Error("the fleet has ended")));
    await Promise.race([eventually(`"${text}", ${times} times`, isSaid), ended]).catch((error: unknown) => {
      throw new Error(`${error}, and it said:\n${lines().join("\n")}`);
    });
  };
  return { news, lines, says, end, over };
}
