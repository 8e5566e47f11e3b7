import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { baton, git, testProject } from "../harness.ts";

const scenario = { name: "done", summary: "is done at once", otherwise: { say: "Done." } };

interface Ordinary {
  name: string;
  /** Where there is none, there is no baton.yaml. */
  yaml?: string;
  files?: Record<string, string>;
  /** What people do before they run a job. */
  yes: "needed" | "not needed";
  /** Where they start it, from the project's folder. */
  from?: string;
  before?: (folder: string) => Promise<unknown>;
  /** What changes meanwhile, and asks for nothing. */
  after?: (folder: string) => Promise<unknown>;
}

const AGENT = "agents:\n  - name: coder\n    model: claude-sonnet-4-5\n";
const SCRIPT = "#!/bin/sh\nexit 0\n";

const PROJECTS: readonly Ordinary[] = [
  { name: "no configuration at all", yes: "not needed" },
  { name: "a name and a model", yaml: AGENT, yes: "not needed" },
  {
    name: "thresholds",
    yaml: `${AGENT}    session: { context_threshold: 0.2, max_retries: 2 }\n`,
    yes: "not needed",
  },
  {
    name: "levels of notices",
    yaml: `${AGENT}    notify: { events: [failure], bell: true }\n`,
    yes: "not needed",
  },
  {
    name: "names of branches",
    yaml: `${AGENT}    workspace: { branch_pattern: "bot/{jobId}" }\n`,
    yes: "not needed",
  },
  {
    name: "a warning level",
    yaml: `${AGENT}    handoff: { notify_user_at: [50, 70], budget: 5 }\n`,
    yes: "not needed",
  },
  {
    name: "agents in files of their own",
    yaml: "agents: [{ path: agents/coder.yaml }, { path: agents/other.yaml }]\n",
    files: { "agents/coder.yaml": "name: coder\nmodel: x\n", "agents/other.yaml": "name: other\n" },
    yes: "not needed",
  },
  {
    name: "instructions for agents",
    yaml: AGENT,
    files: { "CLAUDE.md": "Be brief.\n", "AGENTS.md": "Be kind.\n" },
    yes: "not needed",
  },
  {
    name: "a job from a folder further down",
    yaml: AGENT,
    files: { "packages/a/package.json": "{}" },
    from: "packages/a",
    yes: "not needed",
  },
  { name: "a permission mode", yaml: `${AGENT}    permission_mode: acceptEdits\n`, yes: "needed" },
  { name: "limits", yaml: `${AGENT}    limits: { turns: 50, cost_usd: 5 }\n`, yes: "needed" },
  {
    name: "hooks",
    yaml: `${AGENT}    hooks: { after_run: [{ type: shell, command: "true" }] }\n`,
    yes: "needed",
  },
  {
    name: "a hook that is a script",
    yaml: `${AGENT}    hooks: { after_run: [{ type: shell, command: ./scripts/notify.sh --quietly }] }\n`,
    files: { "scripts/notify.sh": SCRIPT },
    yes: "needed",
  },
  {
    name: "a hook that works on what the agent leaves",
    yaml: `${AGENT}    hooks: { after_run: [{ type: shell, command: "cat README.md > /dev/null" }] }\n`,
    files: { "README.md": "# Ours\n" },
    yes: "needed",
  },
  { name: "MCP servers", yaml: `${AGENT}    mcp_servers: { docs: { command: "true" } }\n`, yes: "needed" },
  { name: "variables", yaml: `${AGENT}    env: { PLACE: "\${HOME}" }\n`, yes: "needed" },
  {
    name: "a worktree with a set-up",
    yaml: `${AGENT}    workspace: { strategy: git_worktree, setup_command: ./setup.sh, push_on_success: false }\n`,
    files: { "setup.sh": SCRIPT },
    yes: "needed",
  },
  {
    name: "settings of the agent's program",
    yaml: AGENT,
    files: {
      ".claude/settings.json": '{ "permissions": { "deny": ["WebFetch"] } }\n',
      ".mcp.json": '{ "mcpServers": {} }\n',
    },
    yes: "needed",
  },
  {
    name: "a monorepo",
    yaml: `${AGENT}    working_directory: ./packages/api\n`,
    files: { "packages/api/package.json": "{}", "packages/web/package.json": "{}" },
    yes: "needed",
  },
  {
    name: "a submodule",
    yaml: `${AGENT}    permission_mode: acceptEdits\n`,
    yes: "needed",
    before: async (folder) => {
      const other = join(dirname(folder), "library");
      await git(dirname(folder), "init", "-q", other);
      await git(
        other,
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.invalid",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "Begin",
      );
      await git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "library");
    },
  },
  {
    name: "a living document that changes with every job",
    yaml: `${AGENT}    handoff: { living_document: { path: docs/HANDOFF.md } }\n`,
    files: { "docs/HANDOFF.md": "# Where we stand\n" },
    yes: "needed",
    after: (folder) => appendFile(join(folder, "docs/HANDOFF.md"), "More.\n"),
  },
  {
    name: "a template and a living document",
    yaml: `${AGENT}    handoff: { template_path: docs/template.md, living_document: { path: docs/HANDOFF.md } }\n`,
    files: { "docs/template.md": "## Goal\n\n## Next Steps\n" },
    yes: "needed",
  },
];

it("has twenty projects at least", () => {
  expect(PROJECTS.length).toBeGreaterThanOrEqual(20);
});

it.each(PROJECTS)("runs a job with $name", async ({ yaml, files = {}, yes, from = ".", before, after }) => {
  const project = await testProject({ scenario, trusted: "no" });
  const config = join(project.folder, "baton.yaml");
  if (yaml === undefined) await rm(config);
  for (const [path, text] of Object.entries({
    ...files,
    ...(yaml !== undefined && { "baton.yaml": yaml }),
  })) {
    await mkdir(dirname(join(project.folder, path)), { recursive: true });
    await writeFile(join(project.folder, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  await before?.(project.folder);
  await git(project.folder, "add", "-A");
  await git(
    project.folder,
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@example.invalid",
    "commit",
    "--allow-empty",
    "-qm",
    "Ours",
  );
  const here = { ...project, folder: join(project.folder, from) };
  if (yes === "needed") expect((await baton(here, ["trust", "--yes"])).code).toBe(0);
  else expect((await baton(here, ["trust"])).stdout).toContain("nothing to trust");
  const { code, stdout, stderr } = await baton(here, ["run", "Go"]);
  expect({ code, stderr }, stdout).toMatchObject({ code: 0 });
  expect(stdout).not.toMatch(/Started without|failed/);
  await after?.(project.folder);
  // And no second yes.
  expect((await baton(here, ["trust"])).stdout).toContain("nothing to trust");
});
