import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, type TestProject, testProject } from "./harness.ts";

const scenario = { name: "silent", summary: "is never asked" };

/** Refused with exit code 2, before anything is there or has been asked. */
async function refusal(project: TestProject, args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await baton(project, args, input);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^baton: /);
  expect(stderr).not.toContain("    at ");
  expect(existsSync(join(project.folder, ".baton"))).toBe(false);
  expect(project.simulator.requests).toEqual([]);
  return stderr;
}

async function configured(yaml: string): Promise<TestProject> {
  const project = await testProject({ scenario });
  await writeFile(join(project.folder, "baton.yaml"), yaml);
  return project;
}

describe("a baton.yaml that is wrong", () => {
  it.each([
    ["is not YAML", "agents:\n  - name: [coder\n", /baton\.yaml:\d+:\d+/],
    ["has an unknown key", "agents:\n  - name: coder\n    modle: x\n", /baton\.yaml:3:5 .*modle[\s\S]*model/],
    [
      "has a wrong type",
      "agents:\n  - name: coder\n    max_turns: many\n",
      /baton\.yaml:3:16 .*max_turns[\s\S]*many/,
    ],
    [
      "names a folder that is not there",
      "agents:\n  - name: coder\n    working_directory: nowhere\n",
      /baton\.yaml:3:\d+ .*nowhere[\s\S]*mkdir -p/,
    ],
  ])("is refused when it %s, with the line and the fix", async (_what, yaml, said) => {
    const project = await configured(yaml);
    expect(await refusal(project, ["run", "coder", "Go"])).toMatch(said);
  });

  it("is refused when --config names none", async () => {
    const project = await testProject({ scenario });
    const said = await refusal(project, ["run", "Go", "--config", "other.yaml"]);
    expect(said).toMatch(/other\.yaml .*does not exist[\s\S]*baton init/);
  });
});

describe("an agent that is not there", () => {
  it("is refused with the nearest name", async () => {
    const project = await testProject({ scenario });
    expect(await refusal(project, ["run", "codre", "Go"])).toContain('did you mean "coder"?');
  });

  it("is not taken for a prompt when its name is misspelt", async () => {
    const project = await testProject({ scenario });
    expect(await refusal(project, ["run", "codr"], "the prompt")).toContain('did you mean "coder"?');
  });
});

describe("a prompt that is wrong", () => {
  it.each([
    ["empty", ["run", "coder", "  "], "The prompt is empty"],
    ["nothing on standard input", ["run", "coder"], "The prompt is empty"],
    ["in a file that is not there", ["run", "--prompt-file", "nowhere.md"], "nowhere.md cannot be read"],
    ["given twice", ["run", "coder", "Go", "--prompt-file", "baton.yaml"], "Give the prompt only once"],
    [
      "given twice, without an agent",
      ["run", "Go on", "--prompt-file", "baton.yaml"],
      "Give the prompt only once",
    ],
    ["not in quotes", ["run", "coder", "fix", "the", "tests"], 'baton run coder "fix the tests"'],
  ])("is refused: %s", async (_what, args, said) => {
    const project = await testProject({ scenario });
    expect(await refusal(project, args)).toContain(said);
  });
});

describe("a machine that is not ready", () => {
  it("is refused without credentials, with both ways to give them", async () => {
    const project = await testProject({ scenario, env: { ANTHROPIC_API_KEY: "" } });
    const said = await refusal(project, ["run", "coder", "Go"]);
    expect(said).toMatch(/no credentials[\s\S]*ANTHROPIC_API_KEY[\s\S]*claude auth login[\s\S]*baton demo/);
  });

  it("is refused without the program that the configuration names", async () => {
    const project = await configured("agents:\n  - name: coder\n    executable: bin/claude\n");
    expect(await refusal(project, ["run", "coder", "Go"])).toMatch(/baton\.yaml:3:\d+ .*executable/);
  });
});

describe("a job that is not there", () => {
  it.each(["show", "logs", "resume", "cancel"])("is refused by %s where none has run", async (command) => {
    const project = await testProject({ scenario });
    expect(await refusal(project, [command, "job-1"])).toMatch(/No job has run here yet[\s\S]*baton run/);
  });
});

describe("words that Baton does not know", () => {
  it.each([
    ["a command", ["rnu"], /unknown command 'rnu'[\s\S]*Did you mean run/],
    ["an option", ["run", "--promptfile", "x"], /unknown option '--promptfile'[\s\S]*--prompt-file/],
    ["a limit", ["jobs", "--limit", "x"], /--limit.*whole number from 1/],
    ["a port", ["simulate", "steady", "--port", "70000"], /whole number from 1 to 65535/],
    ["no job", ["restore", "--to", "x"], /missing required argument 'job'/],
    ["a job where none has run", ["show"], /No job has run here yet/],
    ["a scenario", ["simulate", "nonsense"], /no scenario "nonsense"[\s\S]*steady/],
    ["a permission mode", ["init", "--force", "--permission-mode", "yolo"], /bypassPermissions[\s\S]*yolo/],
  ])("are refused: %s", async (_what, args, said) => {
    const project = await testProject({ scenario });
    expect(await refusal(project, args)).toMatch(said);
  });

  it("are refused in JSON where that was asked for", async () => {
    const project = await testProject({ scenario });
    for (const args of [["run", "codre", "Go"], ["rnu"], ["jobs", "--limit", "x"], ["show", "job-1"]]) {
      const { code, stdout } = await baton(project, [...args, "--json"]);
      expect(code).toBe(2);
      expect(Object.keys(JSON.parse(stdout))).toEqual(["error"]);
    }
  });
});

it.each([["jobs"], ["run", "Go"], ["show"], ["status"], ["doctor"]])(
  "refuses a configuration that is not there: %s",
  async (...args) => {
    const project = await testProject({ scenario });
    const said = await refusal(project, [...args, "--config", "nope.yaml"]);
    expect(said).toContain(`${join(project.folder, "nope.yaml")} (--config) does not exist`);
  },
);

it("refuses a folder that was given as the configuration", async () => {
  const project = await testProject({ scenario });
  await mkdir(join(project.folder, "folder"));
  expect(await refusal(project, ["run", "Go", "--config", "folder"])).toContain("this is a folder");
});
