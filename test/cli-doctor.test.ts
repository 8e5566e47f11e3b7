import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { baton, testProject } from "./harness.ts";
import { needs, PROGRAMS } from "./needs.ts";

const scenario = { name: "silent", summary: "is never asked" };

it("finds nothing to fix on a machine that is ready", async () => {
  const project = await testProject({ scenario });
  const { code, stdout } = await baton(project, ["doctor"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/✓ configuration .*baton\.yaml \(coder\)/);
  expect(stdout).toMatch(/✓ Claude Code +\d+\.\d+/);
  expect(stdout).not.toMatch(/[!✗]/);
});

it("names programs as they are typed where the shell finds them", async () => {
  const project = await testProject({ scenario });
  const bin = join(project.folder, "bin");
  await mkdir(bin);
  for (const name of ["baton", "claude", "tmux"]) await writeFile(join(bin, name), "", { mode: 0o755 });
  const env = { ...project.env, PATH: `${bin}:${project.env.PATH}`, ANTHROPIC_API_KEY: "" };
  const { stdout } = await baton({ ...project, env }, ["doctor"]);
  expect(stdout).toMatch(/`claude auth login --console`.*Without an account: `baton demo`/);
  expect(stdout).toContain(`✓ tmux           ${join(bin, "tmux")}`);
});

it("does not start a program that came with the repository before the user trusts it", async () => {
  const project = await testProject({ scenario, agent: "executable: ./claude.sh", trusted: "no" });
  const started = join(project.folder, "started");
  const script = `#!/bin/sh\ntouch ${started}\necho "9.9.9 (Claude Code)"\n`;
  await writeFile(join(project.folder, "claude.sh"), script, { mode: 0o755 });
  const before = await baton(project, ["doctor"]);
  expect(before.stdout).toMatch(/! Claude Code +not started: .* you have not agreed to on this machine/);
  expect(before.stdout).toMatch(/trust them: \S*baton\S* trust\n/);
  expect(existsSync(started)).toBe(false);
  await baton(project, ["trust", "--yes"]);
  expect((await baton(project, ["doctor"])).stdout).toMatch(/✓ Claude Code +9\.9\.9/);
});

it("says what is missing and how to fix it, all at once", async () => {
  const project = await testProject({ scenario });
  await writeFile(join(project.folder, "baton.yaml"), "agents:\n  - name: coder\n    modle: x\n");
  await mkdir(join(project.folder, ".baton"));
  await writeFile(join(project.folder, ".baton", "baton.db"), "not a database ".repeat(500));
  const env = { ...project.env, PATH: join(project.folder, "nothing"), ANTHROPIC_API_KEY: "" };
  const { code, stdout } = await baton({ ...project, env }, ["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ configuration .*baton\.yaml:3:5/);
  expect(stdout).toMatch(/! git +not found\n.*Install git/);
  expect(stdout).toMatch(
    /✗ credentials +none\n.*`\/.*\/claude auth login --console`.*runtime: claude-cli.*`\/.*\/bin\/baton\.js demo`/,
  );
  expect(stdout).toMatch(/○ plugin +not installed\n.*`\/.*\/bin\/baton\.js install claude-code`/);
  expect(stdout).toMatch(/○ tmux +not installed\n.*continue in their pane/);
  expect(stdout).toMatch(/! jobs .*baton\.db is not this machine's own/);
});

it("leads whoever signs in with a plan to their own claude", async () => {
  const project = await testProject({ scenario, account: "plan" });
  const { stdout } = await baton(project, ["doctor"]);
  expect(stdout).toMatch(/credentials.*by a plan/);
  expect(stdout).toContain("runtime: claude-cli");
});

it("leads them there from claude-agent-acp, too, which is built on the Agent SDK", async () => {
  needs("claude-agent-acp");
  const agent = "runtime: acp\ncommand: claude-agent-acp";
  const project = await testProject({ scenario, agent, account: "plan" });
  const env = { ...project.env, PATH: [PROGRAMS, project.env.PATH].join(delimiter) };
  const { stdout } = await baton({ ...project, env }, ["doctor"]);
  expect(stdout).toMatch(/! credentials.*by a plan\n.*set `runtime: claude-cli`/);
});

it("says of a program that cannot be started what it said", async () => {
  const project = await testProject({ scenario, agent: "executable: ./broken.sh", trusted: "no" });
  await writeFile(join(project.folder, "broken.sh"), "#!/bin/sh\necho boom >&2\nexit 3\n", { mode: 0o755 });
  await baton(project, ["trust", "--yes"]);
  const { code, stdout } = await baton(project, ["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ Claude Code +\S+broken\.sh --version failed: boom\n.*install it again/);
});

it.each([
  [
    "claude-cli",
    "2.0.10 (Claude Code)",
    /✗ Claude Code +Claude Code 2\.0\.10 at \S+other\.sh is too old.*\n.*claude update/,
  ],
  [
    "codex",
    "true (GNU) 9.1\nCopyright",
    /✗ Codex +\S+other\.sh is not Codex: .* it says "true \(GNU\) 9\.1"\.\n.*`executable`/,
  ],
  ["pi", "pi of another kind", /✗ pi +\S+other\.sh is not pi: .*"pi of another kind"/],
])(
  "does not take another program for that of %s, nor one that is too old: %j",
  async (runtime, says, expected) => {
    const agent = `runtime: ${runtime}\nexecutable: ./other.sh`;
    const project = await testProject({ scenario, agent, trusted: "no" });
    const script = `#!/bin/sh\ncat <<END\n${says}\nEND\n`;
    await writeFile(join(project.folder, "other.sh"), script, { mode: 0o755 });
    await baton(project, ["trust", "--yes"]);
    const { code, stdout } = await baton(project, ["doctor"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(expected);
  },
);

it("looks at the program of every agent, each once, and says of pi what is missing", async () => {
  const project = await testProject({ scenario });
  const installed = join(project.folder, "old", "pi-coding-agent");
  await mkdir(installed, { recursive: true });
  const manifest = { name: "@earendil-works/pi-coding-agent", version: "0.74.2" };
  await writeFile(join(installed, "package.json"), JSON.stringify(manifest));
  await writeFile(join(installed, "cli.js"), "", { mode: 0o755 });
  const agents = [
    "{ name: first }",
    "{ name: second }",
    "{ name: third, runtime: pi }",
    `{ name: fourth, runtime: pi, executable: ${join(installed, "cli.js")} }`,
  ];
  await writeFile(
    join(project.folder, "baton.yaml"),
    `agents:\n${agents.map((one) => `  - ${one}\n`).join("")}`,
  );
  const env = { ...project.env, PATH: "/usr/bin:/bin" };
  const { code, stdout } = await baton({ ...project, env }, ["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/✓ Claude Code +\d.* \(first, second\)\n/);
  expect(stdout).toMatch(
    /✗ pi +pi is not on your PATH\. \(third\)\n.*npm install -g @earendil-works\/pi-coding-agent/,
  );
  expect(stdout).toMatch(/✗ pi +pi 0\.74\.2 at .* is too old: Baton needs 0\.87\.0 or newer\. \(fourth\)/);
});
