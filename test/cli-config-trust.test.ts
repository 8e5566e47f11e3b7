import { existsSync } from "node:fs";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, git, type TestProject, testProject } from "./harness.ts";

const scenario = { name: "done", summary: "is done at once", otherwise: { say: "Done." } };
const HOOK = "hooks: { after_run: [{ type: shell, command: ./notify.sh }] }";

/** Refused before anything is there or has been asked. */
async function refusal(project: TestProject, args = ["run", "Go"]): Promise<string> {
  const { code, stdout, stderr } = await baton(project, args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(project.simulator.requests).toEqual([]);
  return stderr;
}

/** How many commands a job would be refused for. */
async function untrusted(project: Pick<TestProject, "folder" | "env">): Promise<number> {
  const { stdout } = await baton(project, ["config", "check", "--json"]);
  return JSON.parse(stdout).untrusted;
}

describe("a command that came with a repository", () => {
  it("runs only when the user trusts it", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    expect(
      await refusal(project),
    ).toBe(`baton: The repository's own configuration has commands, and they run only when you trust it:
  baton.yaml:5  hooks.after_run[0]  ./notify.sh
Look at them, and at what they start. Then: baton trust
`);
    expect(existsSync(join(project.folder, ".baton"))).toBe(false);
    const { stdout } = await baton(project, ["trust"]);
    expect(stdout).toContain("baton.yaml:5  hooks.after_run[0]  ./notify.sh");
    expect((await baton(project, ["run", "Go"])).code).toBe(0);
  });

  it("may also be a hook that would send a secret of the user's to an address in the file", async () => {
    const header = `X-Key: "\${HOME}"`;
    const hook = `{ type: webhook, url: https://example.invalid/x, headers: { ${header} } }`;
    const project = await testProject({ scenario, agent: `hooks: { after_run: [${hook}] }` });
    expect(await refusal(project)).toContain("hooks.after_run[0]  https://example.invalid/x");
    expect(await untrusted(project)).toBe(1);
  });

  it("asks again when it changes, and only then", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    await baton(project, ["trust"]);
    const path = join(project.folder, "baton.yaml");
    const text = (command: string) =>
      `agents: [{ name: coder, max_turns: 9, workspace: { setup_command: ${command} } }]\n`;
    await writeFile(path, text("npm ci"));
    expect(await refusal(project)).toContain("workspace.setup_command  npm ci");
    await baton(project, ["trust"]);
    await writeFile(path, text("npm ci").replace("9", "8"));
    expect(await untrusted(project)).toBe(0);
    await writeFile(path, text("npm it"));
    expect(await refusal(project)).toContain("workspace.setup_command  npm it");
  });

  it.each([
    [
      "a hook of notify",
      "notify: { hooks: [{ type: shell, command: ./notify.sh }] }",
      "notify.hooks[0]  ./notify.sh",
    ],
    ["the setup of a worktree", "workspace: { setup_command: npm ci }", "workspace.setup_command  npm ci"],
    ["an agent program", "executable: ./baton.yaml", "executable  ./baton.yaml"],
    [
      "a server",
      "mcp_servers: { docs: { command: sh, args: [-c, ./x.sh] } }",
      "mcp_servers.docs  sh -c ./x.sh",
    ],
    [
      "a script",
      'hooks: { on_handoff: [{ type: shell, command: "one\\ntwo" }] }',
      "hooks.on_handoff[0]\n      one\n      two\n",
    ],
  ])("can be %s", async (_what, agent, shown) => {
    expect(await refusal(await testProject({ scenario, agent }))).toContain(shown);
  });

  it("can be in the file of an agent, also where baton.yaml is the user's own", async () => {
    const project = await testProject({ scenario });
    await mkdir(join(project.folder, "agents"));
    await writeFile(join(project.folder, "agents/coder.yaml"), `name: coder\n${HOOK}\n`);
    await git(project.folder, "add", "agents");
    await git(project.folder, "rm", "-q", "--cached", "baton.yaml");
    await writeFile(join(project.folder, "baton.yaml"), "agents: [{ path: agents/coder.yaml }]\n");
    expect(await refusal(project)).toContain("agents/coder.yaml:2  hooks.after_run[0]");
  });

  it("is found behind a link too", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    await git(project.folder, "mv", "baton.yaml", "theirs.yaml");
    await symlink("theirs.yaml", join(project.folder, "baton.yaml"));
    expect(await refusal(project)).toContain("baton.yaml:5  hooks.after_run[0]");
  });

  it("counts as such where git cannot be asked", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    await git(project.folder, "rm", "-q", "--cached", "baton.yaml");
    expect(await untrusted(project)).toBe(0);
    const withoutGit = { ...project.env, PATH: join(project.folder, "nothing") };
    expect(await untrusted({ ...project, env: withoutGit })).toBe(1);
  });

  it("is not run by a job that is resumed or continued either", async () => {
    const steps = [{ call: { tool: "Bash", input: { command: "true" } } }, { say: "Done." }];
    const looking = { name: "looking", summary: "looks, and is done", steps };
    const project = await testProject({ scenario: looking, agent: "limits: { turns: 1 }" });
    const { code: paused, events } = await baton(project, ["run", "Go", "--json"]);
    expect(paused).toBe(3);
    await writeFile(join(project.folder, "baton.yaml"), `agents:\n  - name: coder\n    ${HOOK}\n`);
    await writeFile(join(project.folder, "notes.md"), "## Next Steps\n\n1. Go on.\n");
    const before = project.simulator.requests.length;
    const commands = [
      ["resume", events[0]?.job ?? ""],
      ["continue", "notes.md", "--yes"],
    ];
    for (const args of commands) {
      const { code, stderr } = await baton(project, args);
      expect(code).toBe(2);
      expect(stderr).toContain("Then: baton trust");
    }
    expect(project.simulator.requests).toHaveLength(before);
  });

  it("of another agent does not stop this one", async () => {
    const project = await testProject({ scenario });
    const other = `agents:\n  - { name: coder, model: claude-sonnet-4-5 }\n  - name: other\n    ${HOOK}\n`;
    await writeFile(join(project.folder, "baton.yaml"), other);
    expect(await refusal(project, ["run", "other", "Go"])).toContain("baton trust");
    expect((await baton(project, ["run", "coder", "Go"])).code).toBe(0);
  });
});

describe("what is the user's own", () => {
  it("is a file that git does not track", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    await git(project.folder, "rm", "-q", "--cached", "baton.yaml");
    expect(await untrusted(project)).toBe(0);
  });

  it("is the file for all projects", async () => {
    const project = await testProject({ scenario });
    const folder = join(project.env.HOME ?? "", ".config/baton");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.yaml"), `defaults:\n  ${HOOK}\n`);
    expect(await untrusted(project)).toBe(0);
  });
});

describe("baton trust", () => {
  it("lists what is trusted, and takes it back", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    expect((await baton(project, ["trust", "--list"])).stdout).toBe("You trust no repository yet.\n");
    await baton(project, ["trust"]);
    const listed = JSON.parse((await baton(project, ["trust", "--list", "--json"])).stdout);
    expect(listed).toMatchObject([{ file: join(project.folder, "baton.yaml"), commands: 1 }]);
    await writeFile(join(project.folder, "baton.yaml"), "broken: [\n");
    expect((await baton(project, ["trust", "--remove"])).stdout).toBe("baton.yaml is no longer trusted.\n");
    expect((await baton(project, ["trust", "--list"])).stdout).toBe("You trust no repository yet.\n");
    expect((await baton(project, ["trust", "--remove"])).stdout).toBe("Nothing here was trusted.\n");
  });

  it("says so where there is nothing to trust", async () => {
    const project = await testProject({ scenario });
    expect((await baton(project, ["trust"])).stdout).toContain("There is nothing to trust");
    expect(existsSync(join(project.env.HOME ?? "", ".local"))).toBe(false);
  });

  it("names the file that it is to be called with, where that is not the one at hand", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    await rename(join(project.folder, "baton.yaml"), join(project.folder, "other.yaml"));
    await git(project.folder, "add", "-A");
    expect(await refusal(project, ["run", "Go", "--config", "other.yaml"])).toContain(
      "Then: baton trust --config other.yaml\n",
    );
    await baton(project, ["trust", "--config", "other.yaml"]);
    const { stdout } = await baton(project, ["config", "check", "other.yaml", "--json"]);
    expect(JSON.parse(stdout).untrusted).toBe(0);
  });

  it("does not take what it cannot read for trust", async () => {
    const project = await testProject({ scenario, agent: HOOK });
    await baton(project, ["trust"]);
    const record = join(project.env.HOME ?? "", ".local/state/baton/trusted.json");
    await writeFile(record, "[]");
    expect(await refusal(project)).toContain(`${record} should say what you trust`);
    await rm(record);
    expect(await refusal(project)).toContain("baton trust");
  });
});
