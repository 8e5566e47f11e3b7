import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "./error.ts";
import { parseConfig } from "./layers/parse.ts";

/** A folder with these files. Removed after the test. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-agents-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function read(folder: string, project: string) {
  return parseConfig(project, join(folder, "baton.yaml"), "/home/someone", {});
}

/** What a person reads, with the folder left out. */
function refusal(folder: string, project: string): string {
  try {
    read(folder, project);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${folder}/`, "");
    throw error;
  }
  return "accepted";
}

describe("an agent in a file of its own", () => {
  it("has its keys at the top level there, and paths relative to it", () => {
    const folder = folderWith({
      "agents/coder.yaml": `
# As in the documents that Baton was made from.
name: coder
working_directory:
  root: ../code
  default_branch: main
workspace:
  strategy: git_worktree
  branch_pattern: "agent/{agent}/{workItem}"
handoff: { template_path: template.md }
`,
    });
    const config = read(folder, "agents:\n  - path: agents/coder.yaml\n");
    expect(config.agents).toMatchObject([
      {
        name: "coder",
        workingDirectory: join(folder, "code"),
        repository: { defaultBranch: "main" },
        workspace: { strategy: "git_worktree", worktreeDir: join(folder, "code/.worktrees") },
        handoff: {
          templatePath: join(folder, "agents/template.md"),
          dir: join(folder, ".baton/handoffs"),
        },
      },
    ]);
    expect(config.paths[0]?.place).toMatchObject({ file: join(folder, "agents/coder.yaml"), line: 5 });
  });

  it("works where baton.yaml is when it does not say where", () => {
    const folder = folderWith({ "agents/coder.yaml": "name: coder\n" });
    expect(read(folder, "agents: [{ path: agents/coder.yaml }]\n").agents[0]?.workingDirectory).toBe(folder);
  });

  it("gives way to its overrides, and wins over the defaults", () => {
    const folder = folderWith({
      "coder.yaml":
        "name: coder\nmodel: of-file\nmax_turns: 5\nenv: { A: file, B: file }\nsession: { max_retries: 1 }\n",
    });
    const { agents } = read(
      folder,
      `
defaults: { model: of-defaults, system_prompt: of-defaults, session: { on_limit: pause } }
agents:
  - path: coder.yaml
    overrides: { model: of-overrides, env: { B: overrides } }
`,
    );
    expect(agents[0]).toMatchObject({
      model: "of-overrides",
      systemPrompt: "of-defaults",
      maxTurns: 5,
      env: { A: "file", B: "overrides" },
      session: { maxRetries: 1, onLimit: "pause" },
    });
  });

  it("can be used twice, under two names", () => {
    const folder = folderWith({ "coder.yaml": "name: coder\nmodel: one\n" });
    const { agents } = read(
      folder,
      "agents:\n  - path: coder.yaml\n  - { path: coder.yaml, name: other }\n  - { path: coder.yaml, overrides: { name: third, model: two } }\n",
    );
    expect(agents.map(({ name, model }) => [name, model])).toEqual([
      ["coder", "one"],
      ["other", "one"],
      ["third", "two"],
    ]);
  });

  it("is refused with its own file and line, together with what is wrong elsewhere", () => {
    const folder = folderWith({ "agents/coder.yaml": "name: coder\nmodle: x\nsession:\n  on_limit: wiat\n" });
    expect(refusal(folder, "agents:\n  - path: agents/coder.yaml\n    overrides: { max_turns: no }\n")).toBe(
      `baton.yaml:3:29  agents[0].overrides.max_turns must be a whole number of 1 or more, found the text "no"
   3 |     overrides: { max_turns: no }
     |                             ^^
  for example: max_turns: 200

agents/coder.yaml:2:1  unknown key "modle" in the file
   2 | modle: …
     | ^^^^^
  did you mean "model"?

agents/coder.yaml:4:13  session.on_limit must be wait, pause or switch, found the text "wiat"
   4 |   on_limit: wiat
     |             ^^^^
  did you mean "wait"?`,
    );
  });

  it.each([
    {
      wrong: "its file is not there",
      project: "agents:\n  - path: agents/no.yaml\n",
      says: `baton.yaml:2:11  agents[0].path: there is no such file: agents/no.yaml
   2 |   - path: agents/no.yaml
     |           ^^^^^^^^^^^^^^
  name a file that holds the keys of one agent, such as name and model`,
    },
    {
      wrong: "its file is a folder",
      project: "agents:\n  - path: agents\n",
      says: `baton.yaml:2:11  agents[0].path: this is a folder, not a file: agents
   2 |   - path: agents
     |           ^^^^^^
  name a file that holds the keys of one agent, such as name and model`,
    },
    {
      wrong: "its file is this file",
      project: "agents:\n  - path: ./baton.yaml\n",
      says: `baton.yaml:2:11  agents[0].path is this file itself
   2 |   - path: ./baton.yaml
     |           ^^^^^^^^^^^^
  name a file that holds the keys of one agent, such as name and model`,
    },
    {
      wrong: "its file is a link to itself",
      project: "agents:\n  - path: loop.yaml\n",
      says: `baton.yaml:2:11  agents[0].path: the link leads back to itself: loop.yaml
   2 |   - path: loop.yaml
     |           ^^^^^^^^^
  name a file that holds the keys of one agent, such as name and model`,
    },
    {
      wrong: "its file is empty",
      project: "agents:\n  - path: agents/empty.yaml\n",
      says: `agents/empty.yaml  the file is empty
  write the agent's keys in it: name: coder`,
    },
    {
      wrong: "its file has agents of its own",
      project: "agents:\n  - path: agents/several.yaml\n",
      says: `agents/several.yaml:1:1  unknown key "agents" in the file
   1 | agents:
     | ^^^^^^
  "agents" belongs in baton.yaml: this file holds the keys of one agent, such as name and model`,
    },
    {
      wrong: "its file names another file",
      project: "agents:\n  - path: agents/chain.yaml\n",
      says: `agents/chain.yaml:1:1  unknown key "path" in the file
   1 | path: …
     | ^^^^
  "path" belongs in baton.yaml: the file of an agent names no other file`,
    },
    {
      wrong: "it has no name anywhere",
      project: "agents:\n  - path: agents/nameless.yaml\n",
      says: `baton.yaml:2:5  agents[0] has no name
   2 |   - path: agents/nameless.yaml
     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^
  add one here, or in agents/nameless.yaml`,
    },
    {
      wrong: "its file is used twice under one name",
      project: "agents:\n  - path: agents/coder.yaml\n  - path: agents/coder.yaml\n",
      says: `baton.yaml:3:11  two agents are named "coder"
   3 |   - path: agents/coder.yaml
     |           ^^^^^^^^^^^^^^^^^
  give one of them another name`,
    },
    {
      wrong: "another agent has its name",
      project: "agents:\n  - name: coder\n  - path: agents/coder.yaml\n",
      says: `baton.yaml:3:11  two agents are named "coder"
   3 |   - path: agents/coder.yaml
     |           ^^^^^^^^^^^^^^^^^
  give one of them another name`,
    },
    {
      wrong: "it has keys beside its path",
      project: "agents:\n  - path: agents/coder.yaml\n    model: x\n",
      says: `baton.yaml:3:5  unknown key "model" in agents[0]
   3 |     model: …
     |     ^^^^^
  "model" belongs in "overrides"`,
    },
    {
      wrong: "it has two names",
      project: "agents:\n  - { path: agents/coder.yaml, name: a, overrides: { name: b } }\n",
      says: `baton.yaml:2:54  agents[0].overrides.name says the same thing as name
   2 |   - { path: agents/coder.yaml, name: a, overrides: { name: b } }
     |                                                      ^^^^
  keep one of them`,
    },
    {
      wrong: "it has overrides and no path",
      project: "agents:\n  - { name: coder, overrides: { model: x } }\n",
      says: `baton.yaml:2:20  agents[0] has overrides and no path
   2 |   - { name: coder, overrides: …
     |                    ^^^^^^^^^
  name the file that it changes: path: agents/coder.yaml`,
    },
    {
      wrong: "its path is no text",
      project: "agents:\n  - path: [agents/coder.yaml]\n",
      says: `baton.yaml:2:5  agents[0].path must be text, found a list
   2 |   - path: [agents/coder.yaml]
     |     ^^^^
  for example: path: agents/coder.yaml`,
    },
  ])("is refused when $wrong", ({ project, says }) => {
    const folder = folderWith({
      "agents/coder.yaml": "name: coder\n",
      "agents/empty.yaml": "# later\n",
      "agents/several.yaml": "agents:\n  - name: coder\n",
      "agents/chain.yaml": "path: coder.yaml\nname: x\n",
      "agents/nameless.yaml": "model: x\n",
    });
    symlinkSync("loop.yaml", join(folder, "loop.yaml"));
    expect(refusal(folder, project)).toBe(says);
  });
});
