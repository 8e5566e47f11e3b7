import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { agentEnvironment } from "../src/simulator/environment.ts";
import { type Simulator, startSimulator } from "../src/simulator/server.ts";
import { agreeIn } from "../test/agree.ts";
import type { JobPlan } from "./plan.ts";
import { Household } from "./processes.ts";
import { CONTEXT_THRESHOLD, campaignScenario, Model } from "./scenario.ts";

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, "..");
const PROGRAMS = {
  real: join(CHECKOUT, "bin", "baton.js"),
  scripted: join(CHECKOUT, "test", "scripted", "baton.ts"),
};

export interface GitCall {
  by: string;
  command: string;
}

/** A repository with a baton.yaml, a remote where its job works in a worktree, and a home and a TMPDIR of its own. */
export interface Project {
  root: string;
  folder: string;
  remote: string | undefined;
  /** Where killed processes leave what they had only for a while. */
  scratch: string;
  /** `baton`, with the agent of the plan. */
  program: string;
  env: Record<string, string>;
  household: Household;
  model: Model;
  /** Called whenever a git command that writes begins, whoever runs it. */
  onGit: (listener: (call: GitCall) => void) => void;
  /** Ends all of its processes. */
  close(): Promise<void>;
}

export async function git(folder: string, ...args: string[]): Promise<string> {
  return (await run("git", ["-C", folder, ...args])).stdout.trim();
}

export async function makeProject(top: string, { index, workspace, agent }: JobPlan): Promise<Project> {
  const root = join(top, String(index));
  const [folder, scratch, shim] = [join(root, "project"), join(root, "tmp"), join(root, "shim")];
  for (const path of [folder, scratch, join(shim, "calls")]) await mkdir(path, { recursive: true });
  await writeFile(join(folder, "baton.yaml"), configuration(workspace));
  await git(folder, "init", "-q", "-b", "main");
  await git(folder, "config", "user.name", "Campaign");
  await git(folder, "config", "user.email", "campaign@example.invalid");
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "Begin");
  const remote = workspace === "git_worktree" ? await makeRemote(root, folder) : undefined;
  await writeFile(join(shim, "git"), gitShim(shim, join(await git(folder, "--exec-path"), "git")), {
    mode: 0o755,
  });

  const listeners: ((call: GitCall) => void)[] = [];
  const watcher = watch(join(shim, "calls"), (_event, name) => {
    const [, by = "", command = ""] = name?.split(".") ?? [];
    for (const listener of listeners) listener({ by, command });
  });
  const model = new Model();
  const simulator: Simulator = await startSimulator(campaignScenario(workspace, model), { keep: 1 });
  const household = new Household(randomUUID());
  const env = {
    PATH: `${shim}${delimiter}${process.env.PATH ?? ""}`,
    HOME: root,
    TERM: "dumb",
    TMPDIR: scratch,
    // Beside the projects, so that each of them need not compile everything again.
    NODE_COMPILE_CACHE: join(top, "compiled"),
    ...agentEnvironment(simulator, join(root, "claude")),
    CLAUDE_CODE_MAX_RETRIES: "1",
    [household.mark.name]: household.mark.value,
  };
  agreeIn({ folder, env });
  return {
    root,
    folder,
    remote,
    scratch,
    program: PROGRAMS[agent],
    env,
    household,
    model,
    onGit: (listener) => listeners.push(listener),
    async close() {
      await household.end();
      model.speak();
      watcher.close();
      await simulator.close();
    },
  };
}

export async function removeProject({ root }: Project): Promise<void> {
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

function configuration(workspace: JobPlan["workspace"]): string {
  return `agents:
  - name: coder
    model: claude-sonnet-4-5
    permission_mode: bypassPermissions
    session: { context_threshold: ${CONTEXT_THRESHOLD}, retry_backoff: 50ms }
    workspace: { strategy: ${workspace} }
`;
}

async function makeRemote(root: string, folder: string): Promise<string> {
  const remote = join(root, "remote.git");
  await run("git", ["init", "-q", "--bare", "-b", "main", remote]);
  await git(folder, "remote", "add", "origin", remote);
  // On another machine, as it were: what is killed here lives on there.
  await git(folder, "config", "remote.origin.receivepack", "setsid --wait git-receive-pack");
  await git(folder, "push", "-q", "origin", "main");
  return remote;
}

/** A `git` that leaves a sign when it is about to write. */
const gitShim = (home: string, real: string) => `#!/bin/sh
case " $* " in *" worktree list "*) exec ${real} "$@" ;; esac
for word in "$@"; do
  case $word in
    add|checkout|commit|commit-tree|fetch|push|update-ref|worktree|write-tree)
      by=baton
      [ -z "$BATON_SESSION_ID" ] || by=agent
      : > ${home}/calls/$$.$by.$word
      break
  esac
done
exec ${real} "$@"
`;
