import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, git, ofType, shown, type TestProject } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { branchesOf, isThere, worktreeProject, worktreesIn } from "./worktree.ts";

const MAIN = ({ request }: { request: { kind: string } }) => request.kind === "main";

/** Git takes no submodules from paths unless it is told to. */
const allowPaths = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "protocol.file.allow",
  GIT_CONFIG_VALUE_0: "always",
};

async function commitAll(folder: string, subject: string) {
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", subject);
  await git(folder, "push", "-q", "origin", "main");
}

/** Runs one job that prints into `said.txt`, and reads that on its branch. */
async function said(project: TestProject & { remote: string }, command: string, ...args: string[]) {
  const ran = await baton(project, ["run", "coder", told(`(${command}) > said.txt`), ...args, "--json"]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const job = await shown(project);
  const text = await git(project.remote, "show", `${job.workspace.branch}:said.txt`);
  return { job, text, events: ran.events };
}

describe("what the agent knows", () => {
  it("it starts in the worktree, and its environment and its system prompt say where that is", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      agent: "system_prompt: You are careful.",
      workspace: "ports: 2",
    });
    const about = ["--work-item", "LIN-42", "--title", "Login fails"];
    const { job, text } = await said(project, "pwd; env | grep ^BATON_ | sort", ...about);
    const path = join(project.folder, ".worktrees", job.id);
    const [pwd, ...lines] = text.split("\n");
    expect(pwd).toBe(path);
    const variables = Object.fromEntries(lines.map((line) => line.split("=")));
    const [one, two] = job.workspace.ports;
    expect(variables).toMatchObject({
      BATON_WORKTREE_PATH: path,
      BATON_WORKTREE_BRANCH: "agent/coder/LIN-42",
      BATON_WORKTREE_BASE_BRANCH: "main",
      BATON_WORK_ITEM_ID: "LIN-42",
      BATON_WORK_ITEM_TITLE: "Login fails",
      BATON_REPO_ROOT: project.folder,
      BATON_WORKSPACE_STRATEGY: "git_worktree",
      BATON_PORT_1: String(one),
      BATON_PORT_2: String(two),
      BATON_PORTS: `${one} ${two}`,
    });
    expect(one).not.toBe(two);
    const { system = "" } = project.simulator.requests.find(MAIN)?.request ?? {};
    expect(system).toContain("You are careful.");
    expect(system).toContain(`- Worktree: ${path}`);
    expect(system).toContain("- Branch: agent/coder/LIN-42, based on main");
    expect(system).toContain("- Work item: LIN-42 (Login fails)");
    expect(system).toContain(`- Ports reserved for you: ${one}, ${two}`);
  });

  it("env_prefix names the variables, for the setup command too", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      workspace: 'env_prefix: OURS, setup_command: "echo $OURS_WORKTREE_BRANCH > prepared.txt"',
    });
    const command = "env | grep -c ^BATON_WORK; echo $OURS_WORKTREE_PATH $OURS_REPO_ROOT; cat prepared.txt";
    const { job, text } = await said(project, command, "--work-item", "LIN-42");
    expect(text.split("\n")).toEqual(["0", `${job.workspace.path} ${project.folder}`, "agent/coder/LIN-42"]);
  });
});

describe("what is in the worktree", () => {
  it("ignored files that .worktreeinclude names, and no others, and none of them is committed", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const { folder } = project;
    await mkdir(join(folder, "node_modules", "left-pad"), { recursive: true });
    await writeFile(join(folder, "node_modules", "left-pad", "index.js"), "module.exports = 1;\n");
    await writeFile(join(folder, ".env"), "TOKEN=1\n");
    await writeFile(join(folder, "secret.key"), "no\n");
    await writeFile(join(folder, ".gitignore"), ".env\nnode_modules/\n*.key\n.baton/\n");
    await writeFile(join(folder, ".worktreeinclude"), ".env\nnode_modules/\n");
    await commitAll(folder, "Say what is ignored");
    const { job, text } = await said(project, "cat .env; node -p 'require(\"left-pad\")'; ls *.key | wc -l");
    expect(text).toBe("TOKEN=1\n1\n0");
    const files = await git(project.remote, "ls-tree", "-r", "--name-only", job.workspace.branch);
    expect(files.split("\n")).toEqual([".gitignore", ".worktreeinclude", "baton.yaml", "said.txt"]);
    expect(await readFile(join(folder, ".env"), "utf8")).toBe("TOKEN=1\n");
  });

  it("submodules, and the job ends as any other", async () => {
    const project = await worktreeProject({ scenario: obedient(), env: allowPaths });
    const library = join(project.folder, "..", "library");
    await mkdir(library);
    await git(library, "init", "-q", "-b", "main");
    await writeFile(join(library, "lib.txt"), "library\n");
    await git(library, "add", "-A");
    await git(library, "-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "-qm", "Begin");
    const add = ["submodule", "--quiet", "add", library, "lib"];
    await git(project.folder, "-c", "protocol.file.allow=always", ...add);
    await commitAll(project.folder, "Add the library");
    const { job, text } = await said(project, "cat lib/lib.txt");
    expect(text).toBe("library");
    expect(job.workspace).toMatchObject({ state: "removed" });
    expect(await worktreesIn(project)).toEqual([]);
  });
});

describe("setup_command", () => {
  it("runs before the agent, and its output is in the journal", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      workspace: 'setup_command: "echo one; echo two >&2; echo ready > ready.txt"',
    });
    const { text, events } = await said(project, "cat ready.txt");
    expect(text).toBe("ready");
    const [command] = ofType(events, "workspace:command");
    expect(command).toMatchObject({ ok: true, output: "one\n\ntwo\n" });
  });

  it.each([
    ["fails", 'setup_command: "echo it broke; exit 3"', "exit code 3"],
    ["takes too long", 'setup_command: "echo it broke; sleep 600", setup_timeout: 300ms', "300 ms"],
  ])("one that %s fails the job before the agent starts, and nothing is left", async (_, keys, how) => {
    const project = await worktreeProject({ scenario: obedient(), workspace: keys });
    const { code, events } = await baton(project, ["run", "coder", told("touch never"), "--json"]);
    expect(code).toBe(1);
    const [failed] = ofType(events, "job:failed");
    expect(failed?.error).toContain(how);
    expect(failed?.error).toContain(`\`baton resume ${failed?.job}\``);
    expect(ofType(events, "workspace:command")[0]).toMatchObject({
      ok: false,
      output: expect.stringContaining("it broke"),
    });
    expect(project.simulator.requests).toEqual([]);
    expect(await worktreesIn(project)).toEqual([]);
    expect(await branchesOf(project.folder)).toEqual(["main"]);
  });

  it("a job whose setup command was fixed is brought to its end by a resume", async () => {
    const project = await worktreeProject({
      scenario: obedient(),
      workspace: 'setup_command: "test -f ../../mended"',
    });
    expect((await baton(project, ["run", "coder", told("touch one"), "--json"])).code).toBe(1);
    await writeFile(join(project.folder, "mended"), "");
    const { id } = await shown(project);
    expect((await baton(project, ["resume", id, "--json"])).code).toBe(0);
    const { workspace } = await shown(project);
    expect(await git(project.remote, "ls-tree", "--name-only", workspace.branch, "one")).toBe("one");
  });
});

it("auto_clone clones what is not there, as deep as it is told, and work arrives where it came from", async () => {
  const project = await worktreeProject({
    scenario: obedient(),
    agent: "working_directory: { root: ./clone, repo: ~/remote.git, auto_clone: true, clone_depth: 1 }",
  });
  await git(project.folder, "commit", "-qm", "Second", "--allow-empty");
  await git(project.folder, "push", "-q", "origin", "main");
  const args = [
    "run",
    "coder",
    told("git rev-list --count HEAD > said.txt"),
    "--work-item",
    "LIN-1",
    "--json",
  ];
  const ran = await baton(project, args);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(await git(project.remote, "show", "agent/coder/LIN-1:said.txt")).toBe("1");
  expect(await git(project.remote, "rev-list", "--count", "agent/coder/LIN-1")).toBe("3");
  expect(await isThere(join(project.folder, "clone", ".git"))).toBe(true);
});
