import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agreeIn } from "./agree.ts";
import { baton, git, type TestProject, testProject } from "./harness.ts";

const scenario = { name: "done", summary: "is done at once", otherwise: { say: "Done." } };
const HOOK = "hooks: { after_run: [{ type: shell, command: ./notify.sh }] }";

/** A project that its user has not looked at yet. */
function untouched(agent = "", env?: Record<string, string>): Promise<TestProject> {
  return testProject({ scenario, agent, trusted: "no", ...(env && { env }) });
}

/** Refused before anything is there or has been asked. */
async function refusal(project: TestProject, args = ["run", "Go"]): Promise<string> {
  const { code, stdout, stderr } = await baton(project, args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(project.simulator.requests).toEqual([]);
  return stderr;
}

/** How many things wait for the user's yes. */
async function waiting(project: Pick<TestProject, "folder" | "env" | "trusted">): Promise<number> {
  const { stdout } = await baton(project, ["config", "check", "--json"]);
  return JSON.parse(stdout).untrusted;
}

describe("what a project's files would do", () => {
  it("is done only when the user has agreed to it", async () => {
    const project = await untouched(HOOK);
    expect(
      await refusal(project),
    ).toBe(`baton: This project's files do things that you have not agreed to on this machine:
  baton.yaml:5  agents[coder].hooks
      hooks:
        after_run:
          - type: shell
            command: ./notify.sh
Review them, and trust them as they are now: baton trust
`);
    expect(existsSync(join(project.folder, ".baton"))).toBe(false);
    const { stdout } = await baton(project, ["trust", "--yes"]);
    expect(stdout).toContain("baton.yaml:5  agents[coder].hooks\n      hooks:\n");
    expect((await baton(project, ["run", "Go"])).code).toBe(0);
  });

  it("needs no yes where it cannot hurt", async () => {
    const keys =
      "session: { context_threshold: 0.2 }\nworkspace: { branch_pattern: 'a/{jobId}' }\nnotify: { bell: true }";
    const project = await untouched(keys);
    expect((await baton(project, ["run", "Go"])).code).toBe(0);
    expect(await waiting(project)).toBe(0);
  });

  it("is said to wait for a yes by whatever lists what would run", async () => {
    const project = await untouched("schedules: { nightly: { cron: '0 3 * * *', prompt: Look. } }");
    const waits = "1 thing in baton.yaml waits for your consent and does nothing until then.";
    for (const args of [["schedules"], ["schedules", "next"], ["plan"]]) {
      const { stdout } = await baton(project, args);
      expect(stdout).toContain(waits);
      expect(stdout).not.toContain("No agent has a schedule");
    }
    await baton(project, ["trust", "--yes"]);
    const { stdout } = await baton(project, ["schedules"]);
    expect(stdout).toContain("nightly");
    expect(stdout).not.toContain(waits);

    const path = join(project.folder, "baton.yaml");
    const asked = (prompt: string) =>
      `agents: [{ name: coder, default_prompt: ${prompt}, schedules: { nightly: { cron: "0 3 * * *" } } }]\n`;
    await writeFile(path, asked("Look."));
    await baton(project, ["trust", "--yes"]);
    // Without its prompt, which waits, the schedule is no wrong one.
    await writeFile(path, asked("Look twice."));
    const changed = await baton(project, ["schedules"]);
    expect(changed).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("nightly") });
    expect(changed.stdout).toContain(waits);
  });

  it("is asked about again when a value that acts has changed, and for nothing else", async () => {
    const project = await untouched();
    const path = join(project.folder, "baton.yaml");
    const text = (command: string) =>
      `agents: [{ name: coder, model: one, env: { A: "1", B: "2" }, workspace: { setup_command: ${command} } }]\n`;
    await writeFile(path, text("npm ci"));
    expect(await refusal(project)).toContain("setup_command: npm ci");
    await baton(project, ["trust", "--yes"]);
    await writeFile(
      path,
      '# Ours.\nagents:\n  - workspace: { setup_command: "npm ci" }\n    env:\n      B: "2"\n      A: "1"\n    name: coder\n    model: two\n',
    );
    expect(await waiting(project)).toBe(0);
    await writeFile(path, text("npm it"));
    expect(await refusal(project)).toContain("agents[coder].workspace.setup_command  (changed)");
    const { stdout } = await baton(project, ["trust", "--yes"]);
    expect(stdout).toContain("      - setup_command: npm ci\n      + setup_command: npm it");
    await writeFile(path, 'agents: [{ name: coder, env: { A: "1", B: "2" } }]\n');
    expect(await refusal(project)).toContain("agents[coder].workspace.setup_command is gone");
  });

  it("includes the scripts that it names", async () => {
    const project = await untouched(HOOK);
    const script = join(project.folder, "notify.sh");
    await writeFile(script, "#!/bin/sh\ntouch one\n", { mode: 0o755 });
    const { stdout } = await baton(project, ["trust", "--yes"]);
    expect(stdout).toContain(
      "notify.sh  named by agents[coder].hooks, 2 lines\n      #!/bin/sh\n      touch one",
    );
    expect(await waiting(project)).toBe(0);
    await writeFile(script, "#!/bin/sh\ntouch two\n");
    expect(await refusal(project)).toContain("notify.sh, named by agents[coder].hooks, has changed");
    expect((await baton(project, ["trust", "--yes"])).stdout).toContain(
      "      - touch one\n      + touch two",
    );
    expect(await waiting(project)).toBe(0);
  });

  it("can be in the file of an agent", async () => {
    const project = await untouched();
    await mkdir(join(project.folder, "agents"));
    await writeFile(join(project.folder, "agents/coder.yaml"), `name: coder\n${HOOK}\n`);
    await writeFile(join(project.folder, "baton.yaml"), "agents: [{ path: agents/coder.yaml }]\n");
    expect(await refusal(project)).toContain("agents/coder.yaml:2  hooks\n");
    await baton(project, ["trust", "--yes"]);
    expect(await waiting(project)).toBe(0);
  });

  it("is not done by a job that is resumed or continued either", async () => {
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
      const { code, stderr } = await baton({ ...project, trusted: "no" }, args);
      expect(code).toBe(2);
      expect(stderr).toContain("trust them as they are now: baton trust");
    }
    expect(project.simulator.requests).toHaveLength(before);
  });

  it("holds nobody up who runs another agent", async () => {
    const project = await untouched();
    const other = `agents:\n  - { name: coder, model: claude-sonnet-4-5 }\n  - name: other\n    ${HOOK}\n`;
    await writeFile(join(project.folder, "baton.yaml"), other);
    expect(await refusal(project, ["run", "other", "Go"])).toContain("baton trust");
    expect((await baton(project, ["run", "coder", "Go"])).code).toBe(0);
  });
});

describe("what is the user's own", () => {
  it("is the file for all projects", async () => {
    const project = await untouched();
    const folder = join(project.env.HOME ?? "", ".config/baton");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.yaml"), `defaults:\n  ${HOOK}\n`);
    expect(await waiting(project)).toBe(0);
  });

  it("is the file that baton init wrote", async () => {
    const project = await untouched();
    await rm(join(project.folder, "baton.yaml"));
    expect((await baton(project, ["init", "--permission-mode", "bypassPermissions"])).code).toBe(0);
    expect(await waiting(project)).toBe(0);
    expect((await baton(project, ["run", "Go"])).code).toBe(0);
  });
});

describe("baton trust", () => {
  it("asks on a terminal only, and says what to type elsewhere", async () => {
    const project = await untouched(HOOK);
    const { code, stdout, stderr } = await baton(project, ["trust"]);
    expect(code).toBe(2);
    expect(stdout).toContain("What this project's files would do");
    expect(stderr).toContain("If you have reviewed all of it: baton trust --yes");
    expect(await waiting(project)).toBe(1);
  });

  it("is refused within a job", async () => {
    const project = await untouched(HOOK);
    const env = { ...project.env, BATON_JOB_ID: "job-1" };
    const { code, stderr } = await baton({ ...project, env }, ["trust", "--yes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Only a person can trust a project");
    expect(await waiting(project)).toBe(1);
  });

  it("lists what is trusted, and takes it back", async () => {
    const project = await untouched(HOOK);
    expect((await baton(project, ["trust", "--list"])).stdout).toBe("You have trusted nothing yet.\n");
    await baton(project, ["trust", "--yes"]);
    const listed = JSON.parse((await baton(project, ["trust", "--list", "--json"])).stdout);
    expect(listed).toMatchObject([
      { file: join(project.folder, "baton.yaml"), keys: ["agents[coder].hooks"] },
    ]);
    await writeFile(join(project.folder, "baton.yaml"), "broken: [\n");
    expect((await baton(project, ["trust", "--remove"])).stdout).toBe("baton.yaml is no longer trusted.\n");
    expect((await baton(project, ["trust", "--list"])).stdout).toBe("You have trusted nothing yet.\n");
    expect((await baton(project, ["trust", "--remove"])).stdout).toBe("Nothing here was trusted.\n");
  });

  it("says so where there is nothing to trust", async () => {
    const project = await untouched();
    expect((await baton(project, ["trust"])).stdout).toContain("There is nothing to trust");
    expect(existsSync(join(project.env.HOME ?? "", ".local"))).toBe(false);
  });

  it("names the file that it is to be called with, where that is not the one at hand", async () => {
    const project = await untouched(HOOK);
    await rename(join(project.folder, "baton.yaml"), join(project.folder, "other.yaml"));
    expect(await refusal(project, ["run", "Go", "--config", "other.yaml"])).toContain(
      ": baton trust --config other.yaml\n",
    );
    await baton(project, ["trust", "--config", "other.yaml", "--yes"]);
    const { stdout } = await baton(project, ["config", "check", "other.yaml", "--json"]);
    expect(JSON.parse(stdout).untrusted).toBe(0);
  });

  it("does not take what it cannot read for trust", async () => {
    const project = await untouched(HOOK);
    await baton(project, ["trust", "--yes"]);
    const record = join(project.env.HOME ?? "", ".local/state/baton/trusted.json");
    await writeFile(record, "[]");
    expect(await refusal(project)).toContain(`${record} should say what you trust`);
    expect(await readFile(record, "utf8")).toBe("[]");
    await rm(record);
    expect(await refusal(project)).toContain("baton trust");
  });

  it("does not take a link for the file that it leads to", async () => {
    const trusted = await untouched(HOOK);
    agreeIn({ folder: trusted.folder, env: trusted.env });
    const hostile = await untouched(HOOK);
    await rm(join(hostile.folder, "baton.yaml"));
    await symlink(join(trusted.folder, "baton.yaml"), join(hostile.folder, "baton.yaml"));
    await git(hostile.folder, "add", "-A");
    expect(await refusal({ ...hostile, env: trusted.env })).toContain("agents[coder].hooks");
  });
});
