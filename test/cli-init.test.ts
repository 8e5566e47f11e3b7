import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { baton, git, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal } from "./terminal.ts";

const scenario = { name: "done", summary: "is done at once", otherwise: { say: "Done." } };

it("writes a commented file that a job runs with", async () => {
  const project = await testProject({ scenario });
  const path = join(project.folder, "baton.yaml");
  await rm(path);
  const options = ["--name", "writer", "--model", "claude-sonnet-4-5", "--permission-mode", "plan"];
  const { code, stdout } = await baton(project, ["init", ...options]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Wrote ${path}`);
  expect(stdout).toContain("For a night without you, raise session.max_handoffs_per_job");
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
    ["without asking?", "yolo\r"],
    ["without asking?", "plan\r"],
  ];
  const { code, output } = await onTerminal(project, { columns: 100, typed }, ["init"]);
  expect(code).toBe(0);
  expect(output).toMatch(/found the text "not a name!"[\s\S]*cannot be found: .*nowhere[\s\S]*"yolo"/);
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/- name: writer$/m);
  expect(text).toMatch(/^ +permission_mode: plan$/m);
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
