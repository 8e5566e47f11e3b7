import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { widthOf } from "../src/display/width.ts";
import { baton, git, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal } from "./terminal.ts";

const npmTest = { tool: "Bash", input: { command: "npm test", description: "Run the tests" } };
const scenario = { name: "done", summary: "is done at once", otherwise: { say: "Done." } };

it("writes a commented file that a job runs with", async () => {
  const project = await testProject({ scenario });
  const path = join(project.folder, "baton.yaml");
  await rm(path);
  const options = ["--name", "writer", "--model", "claude-sonnet-4-5", "--permission-mode", "plan"];
  const { code, stdout } = await baton(project, ["init", ...options]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Wrote ${path}`);
  expect(stdout).toContain("For overnight jobs, raise session.max_handoffs_per_job");
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/^ +permission_mode: plan$/m);
  expect(text).toMatch(/^ +# limits:$/m);
  expect((await baton(project, ["run", "writer", "Go"])).code).toBe(0);
});

it("points editors at a schema that is there, and is not for git", async () => {
  const project = await testProject({ scenario });
  await rm(join(project.folder, "baton.yaml"));
  expect((await baton(project, ["init"])).code).toBe(0);
  const text = await readFile(join(project.folder, "baton.yaml"), "utf8");
  const [, path = ""] = /^# yaml-language-server: \$schema=(.+)\n/.exec(text) ?? [];
  const schema = JSON.parse(await readFile(join(project.folder, path), "utf8"));
  const isValid = new Ajv2020({ strictTypes: false }).compile(schema);
  isValid(parse(text));
  expect(isValid.errors).toBeNull();
  expect(await git(project.folder, "status", "--porcelain")).toBe("M baton.yaml");
});

it("leaves a file that is there as it is, unless it is told to replace it", async () => {
  const project = await testProject({ scenario });
  const path = join(project.folder, "baton.yaml");
  await writeFile(path, "# mine\n");
  const { code, stderr } = await baton(project, ["init"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--force");
  expect(await readFile(path, "utf8")).toBe("# mine\n");
  expect((await baton(project, ["init", "--force"])).code).toBe(0);
  expect(await readFile(path, "utf8")).toContain("name: coder");
});

it("asks on a terminal, again where an answer cannot be, and writes the answers", async () => {
  needs("script");
  const project = await testProject({ scenario });
  const path = join(project.folder, "baton.yaml");
  await rm(path);
  const typed: [string, string][] = [
    ["called? [coder] ", "not a name!\r"],
    ["called? [coder] ", "writer\r"],
    ["Which model?", "\r"],
    ["In which folder", "nowhere\r"],
    ["In which folder", ".\r"],
    [" [2] ", "yolo\r"],
    [" [2] ", "3\r"],
    ["Which command runs them? ", "\r"],
    ["Which command runs them? ", "make check\r"],
  ];
  const { code, output } = await onTerminal(project, { columns: 100, typed }, ["init"]);
  expect(code).toBe(0);
  expect(output).toMatch(
    /found the text\s+"not a name!"[\s\S]*cannot be found: .*nowhere[\s\S]*"yolo" is not one of them/,
  );
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/- name: writer$/m);
  expect(text).toMatch(/^ +permission_mode: acceptEdits$/m);
  expect(text).toMatch(/^ +allowed_tools: \["Bash\(make check:\*\)"\]$/m);
});

it("takes Enter for everything, finds the tests, and a job can then run them", async () => {
  needs("script");
  const project = await testProject({
    scenario: { name: "tests", summary: "", steps: [{ call: npmTest }], otherwise: { say: "Done." } },
  });
  await rm(join(project.folder, "baton.yaml"));
  await writeFile(join(project.folder, "package.json"), '{ "scripts": { "test": "touch tested" } }');
  const typed: [string, string][] = [
    ["called? [coder] ", "\r"],
    ["Which model?", "\r"],
    ["In which folder", "\r"],
    ["3  edit files and run the tests: npm test\r\n", "\r"],
  ];
  const { code, output } = await onTerminal(project, { columns: 60, typed }, ["init"]);
  expect(code).toBe(0);
  expect(output).toContain("coder may edit files, and run npm test.");
  const text = await readFile(join(project.folder, "baton.yaml"), "utf8");
  expect(text).toMatch(/^ +system_prompt: "Run the tests with `npm test` before/m);
  expect((await baton(project, ["run", "coder", "Make the tests pass"])).code).toBe(0);
  expect(existsSync(join(project.folder, "tested"))).toBe(true);
});

it("asks nothing on a terminal with -y, and breaks no word of a refusal there", async () => {
  needs("script");
  const project = await testProject({ scenario });
  await rm(join(project.folder, "baton.yaml"));
  expect((await onTerminal(project, { columns: 60 }, ["init", "-y"])).code).toBe(0);
  expect(await readFile(join(project.folder, "baton.yaml"), "utf8")).toContain("name: coder");
  const again = await onTerminal(project, { columns: 60 }, ["run", "Go", "--permission-mode", "acceptEdit"]);
  expect(again.code).toBe(2);
  expect(again.output.split("\r\n").filter((line) => widthOf(line) > 60)).toEqual([]);
});

it.each([
  [["--may", "nothing"], /^ +permission_mode: default$/m, "may only read"],
  [["--may", "edits"], /^ +permission_mode: acceptEdits\n.*\n +# allowed_tools:/m, "and run nothing"],
  [["--tests", "go test ./..."], /^ +allowed_tools: \["Bash\(go test:\*\)"\]$/m, "and run go test ./..."],
  [["--may", "everything"], /^ +permission_mode: bypassPermissions$/m, "may do everything"],
])("asks nothing where %j says it", async (options, written, said) => {
  const project = await testProject({ scenario });
  await rm(join(project.folder, "baton.yaml"));
  const { code, stdout } = await baton(project, ["init", ...options]);
  expect(code).toBe(0);
  expect(stdout).toContain(said);
  expect(await readFile(join(project.folder, "baton.yaml"), "utf8")).toMatch(written);
});

it("puts an agent that may do everything into a container", async () => {
  needs("bwrap");
  const project = await testProject({ scenario });
  await rm(join(project.folder, "baton.yaml"));
  const { code, stdout } = await baton(project, ["init", "--may", "container"]);
  expect(code).toBe(0);
  expect(stdout).toContain("may do everything, in a container (bwrap)");
  const text = await readFile(join(project.folder, "baton.yaml"), "utf8");
  expect(text).toMatch(/^ +docker: \{ enabled: true, engine: bwrap \}$/m);
  expect(text).toMatch(/^ +permission_mode: bypassPermissions$/m);
});

it.each([
  [["--may", "lots"], "--may is one of nothing, edits, tests, everything, container"],
  [["--may", "tests"], "--tests <command>"],
  [["--may", "edits", "--tests", "make"], "Leave out one of them"],
  [["--may", "edits", "--permission-mode", "plan"], "Leave out --may"],
])("refuses %j", async (options, said) => {
  const project = await testProject({ scenario });
  const { code, stderr } = await baton(project, ["init", "--force", ...options]);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});

it("writes nothing when it is broken off", async () => {
  needs("script");
  const project = await testProject({ scenario });
  const path = join(project.folder, "baton.yaml");
  await rm(path);
  const typed: [string, string][] = [["called? [coder] ", "\u0004"]];
  const { code, output } = await onTerminal(project, { columns: 100, typed }, ["init"]);
  expect(code).toBe(130);
  expect(output).toContain("Nothing was written.");
  expect(existsSync(path)).toBe(false);
});

it("runs the user's own claude where that is signed in to a plan, and says why", async () => {
  const project = await testProject({ scenario, account: "plan" });
  const bin = join(project.folder, "..", "bin");
  await mkdir(bin);
  await symlink("/bin/true", join(bin, "claude"));
  const path = join(project.folder, "baton.yaml");
  await rm(path);
  const withClaude = { ...project, env: { ...project.env, PATH: `${bin}:${project.env.PATH}` } };
  const { stdout } = await baton(withClaude, ["init"]);
  expect(stdout).toContain("terms ask programs");
  expect(await readFile(path, "utf8")).toMatch(/^ {4}runtime: claude-cli /m);

  await rm(join(bin, "claude"));
  const without = await baton(withClaude, ["init", "--force"]);
  expect(without.stdout.replace(/\s+/g, " ")).toContain(
    "It cannot start yet. Claude Code is not on your PATH.",
  );
  expect(await readFile(path, "utf8")).toMatch(/^ {4}runtime: claude-cli /m);

  const key = { ...withClaude.env, ANTHROPIC_API_KEY: "sk-ant-simulator" };
  expect((await baton({ ...project, env: key }, ["init", "--force"])).code).toBe(0);
  expect(await readFile(path, "utf8")).not.toContain("claude-cli");
});

it("runs the user's own codex where nothing else is signed in, with nothing that Codex could not honour", async () => {
  const project = await testProject({ scenario });
  const bin = join(project.folder, "..", "bin");
  const home = join(project.folder, "..", "codex");
  await mkdir(bin);
  await mkdir(home);
  await symlink("/bin/true", join(bin, "codex"));
  await writeFile(join(home, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "sk-simulator" }));
  await writeFile(join(project.folder, "package.json"), JSON.stringify({ scripts: { test: "vitest" } }));
  const path = join(project.folder, "baton.yaml");
  await rm(path);
  const nobody = Object.entries(project.env).filter(([name]) => !/^ANTHROPIC/.test(name));
  const env = { ...Object.fromEntries(nobody), CODEX_HOME: home, PATH: `${bin}:${project.env.PATH}` };
  const { code, stdout } = await baton({ ...project, env }, ["init"]);
  expect(code).toBe(0);
  expect(stdout).toContain("may edit files and run commands, in a sandbox that ends at its folder");
  expect(stdout).toContain("because Claude Code is not signed in here");
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/^ {4}runtime: codex /m);
  expect(text).not.toContain("allowed_tools");
  expect((await baton({ ...project, env }, ["config", "check"])).code).toBe(0);

  expect(
    (
      await baton({ ...project, env: { ...project.env, ...env, ANTHROPIC_API_KEY: "sk" } }, [
        "init",
        "--force",
      ])
    ).code,
  ).toBe(0);
  expect(await readFile(path, "utf8")).not.toContain("runtime:");
});
