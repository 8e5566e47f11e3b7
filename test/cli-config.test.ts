import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, program, type TestProject, testProject } from "./harness.ts";

const run = promisify(execFile);
const scenario = { name: "silent", summary: "is never asked" };

async function projectWith(files: Record<string, string>): Promise<TestProject> {
  const project = await testProject({ scenario });
  await write(project, files);
  return project;
}

async function write({ folder }: TestProject, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** What the user has set for all projects, in a home of the test's own. */
async function userFile({ env }: TestProject, text: string): Promise<string> {
  const path = join(env.HOME ?? "", ".config/baton/config.yaml");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const TWO = "agents:\n  - name: coder\n  - path: agents/other.yaml\n";

describe("baton config check", () => {
  it("says that all is right, and what was read", async () => {
    const project = await projectWith({ "baton.yaml": TWO, "agents/other.yaml": "name: other\n" });
    await userFile(project, "defaults: { max_turns: 5 }\n");
    const { code, stdout } = await baton(project, ["config", "check"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        "baton.yaml is valid: 2 agents.\nRead with it: ~/.config/baton/config.yaml, agents/other.yaml\n",
    });
  });

  it("warns of names of models and tools that are most likely misspelt, with their lines", async () => {
    const yaml =
      "agents:\n  - name: coder\n    model: claude-sonet-4-5\n    allowed_tools: [Bahs, Bash(ls:*), mcp__x__y]\n";
    const project = await projectWith({ "baton.yaml": yaml });
    const { code, stdout } = await baton(project, ["config", "check"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Warning: baton\.yaml:3:12 .*"claude-sonet-4-5"[\s\S]*did you mean "claude-sonnet-4-5"/m,
    );
    expect(stdout).toMatch(/^Warning: baton\.yaml:4:21 .*"Bahs"[\s\S]*did you mean "Bash"/m);
    expect(stdout.split("Warning:")).toHaveLength(3);
    const { stdout: json } = await baton(project, ["config", "check", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ ok: true, warnings: [{ line: 3 }, { line: 4 }] });
  });

  it.each(["run", "resume"])("warns of a model that is most likely misspelt after %s --model", async (by) => {
    const project = await testProject({ scenario: steady({ steps: 1 }), agent: "limits: { turns: 1 }" });
    if (by === "resume") expect((await baton(project, ["run", "Go", "--json"])).code).toBe(3);
    const args = by === "run" ? ["run", "Go"] : ["resume"];
    const { stderr } = await baton(project, [...args, "--model", "claude-sonet-4-5"]);
    expect(stderr).toContain(
      'Warning: --model claude-sonet-4-5: Baton knows no such model; did you mean "claude-sonnet-4-5"?\n',
    );
  });

  it("says everything that is wrong, in all files at once", async () => {
    const project = await projectWith({
      "baton.yaml": `${TWO}    overrides: { modle: x }\n`,
      "agents/other.yaml": "name: other\nmax_turns: no\n",
    });
    await userFile(project, "defaults: { session: { on_limit: wiat } }\n");
    const { code, stderr } = await baton(project, ["config", "check"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^baton: baton\.yaml:4:18 .*modle/);
    expect(stderr).toMatch(/^\S+config\.yaml:1:34 .*wiat/m);
    expect(stderr).toMatch(/^agents\/other\.yaml:2:12 .*no"/m);
  });

  it("says so to programs too", async () => {
    const project = await projectWith({ "baton.yaml": "agents: [{ name: coder, modle: x }]\n" });
    const { code, stdout } = await baton(project, ["config", "check", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [{ line: 1, column: 25, fix: 'did you mean "model"?' }],
    });
    await write(project, { "baton.yaml": "agents: [{ name: coder }]\n" });
    const right = await baton(project, ["config", "check", "--json"]);
    expect(JSON.parse(right.stdout)).toMatchObject({ ok: true, agents: ["coder"] });
  });

  it("looks whether the folders and files are there, and names each once", async () => {
    const project = await projectWith({
      "baton.yaml": "defaults: { working_directory: nowhere }\nagents: [{ name: a }, { name: b }]\n",
    });
    const { code, stderr } = await baton(project, ["config", "check"]);
    expect(code).toBe(2);
    expect(stderr.match(/cannot be found/g)).toHaveLength(1);
  });

  it("takes another file, and does without any", async () => {
    const project = await projectWith({ "other.yaml": "agents: []\n" });
    expect((await baton(project, ["config", "check", "other.yaml"])).code).toBe(2);
    const bare = { folder: project.env.HOME ?? "", env: project.env };
    expect((await baton(bare, ["config", "check"])).stdout).toContain("There is no baton.yaml here");
  });
});

describe("baton config show", () => {
  it("says of every value where it was written", async () => {
    const project = await projectWith({ "baton.yaml": TWO, "agents/other.yaml": "name: other\nmodel: x\n" });
    const path = await userFile(project, "notify: { bell: true }\n");
    const { code, stdout } = await baton(project, ["config", "show", "other"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^OTHER +FROM +VALUE\n/);
    expect(stdout).toMatch(/^model +agents\/other\.yaml:2 +x$/m);
    expect(stdout).toMatch(/^notify\.bell +~\/\.config\/baton\/config\.yaml:1 +true$/m);
    expect(stdout).toMatch(/^session\.on_limit +built in +wait$/m);

    const all = JSON.parse((await baton(project, ["config", "show", "--json"])).stdout);
    expect(Object.keys(all.agents)).toEqual(["coder", "other"]);
    expect(all.agents.coder).toContainEqual({
      key: "notify.bell",
      value: true,
      from: { file: path, line: 1 },
    });
    expect(all.maintenance).toContainEqual({ key: "worktree_cleanup.interval", value: "6h" });
  });

  it("shows what a supervisor's file sets, which waits for a yes like any other", async () => {
    const project = await projectWith({
      ".supervisor-specific/handoff-config.yaml": "handoff:\n  retention_days: 30\n  notify_user_at: 40\n",
    });
    const before = await baton(project, ["config", "show"]);
    const file = "\\.supervisor-specific/handoff-config\\.yaml";
    expect(before.stdout).toMatch(new RegExp(`^handoff\\.threshold +default of ${file} +70$`, "m"));
    expect(before.stdout).toMatch(new RegExp(`^handoff\\.notify_user_at +${file}:3 +40$`, "m"));
    expect(before.stdout).toMatch(new RegExp(`^handoff\\.retention_days +default of ${file} +90$`, "m"));
    const refused = await baton(project, ["run", "Go"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("handoff.retention_days") });
    expect((await baton(project, ["trust", "--yes"])).code).toBe(0);
    const after = await baton(project, ["config", "show"]);
    expect(after.stdout).toMatch(new RegExp(`^handoff\\.retention_days +${file}:2 +30$`, "m"));
    const check = await baton(project, ["config", "check"]);
    expect(check.stdout).toContain("Read with it: .supervisor-specific/handoff-config.yaml");
  });

  it("shows no secret", async () => {
    const project = await projectWith({
      "baton.yaml": `agents: [{ name: coder, model: "\${MODEL}", env: { A: hush, B: "\${TOKEN}" } }]\n`,
    });
    const secrets = { ...project, env: { ...project.env, MODEL: "hush-1", TOKEN: "hush-2" } };
    const { stdout } = await baton(secrets, ["config", "show"]);
    expect(stdout).toMatch(/^env\.B +baton\.yaml:1 +\$\{TOKEN\}$/m);
    expect(stdout).not.toContain("hush");
  });

  it("is refused for an agent that is not there", async () => {
    const project = await projectWith({});
    const { code, stderr } = await baton(project, ["config", "show", "codre"]);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "coder"?');
  });
});

it("prints a schema for editors", async () => {
  const project = await projectWith({});
  const { stdout } = await run(process.execPath, [program, "config", "schema"], { cwd: project.folder });
  expect(JSON.parse(stdout)).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    required: ["agents"],
  });
});

it("holds for a job where there is no baton.yaml", async () => {
  const project = await projectWith({});
  const path = await userFile(project, "defaults: { permission_mode: nonsense }\n");
  const bare = { folder: dirname(path), env: project.env };
  const { code, stderr } = await baton(bare, ["run", "Go"]);
  expect(code).toBe(2);
  expect(stderr).toContain("config.yaml:1:30  defaults.permission_mode must be");
});
