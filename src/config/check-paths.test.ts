import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configAt } from "../../test/agree.ts";
import { agentNamed } from "./agent-named.ts";
import { checkPaths } from "./check-paths.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-paths-"));
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "claude"), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

function check(lines: string, agent = "coder"): () => void {
  const path = join(folder, "baton.yaml");
  writeFileSync(path, `agents:\n  - name: other\n  - name: coder\n${lines}`);
  const config = configAt(path);
  return () => checkPaths(config, agentNamed(config, agent));
}

describe("before an agent starts", () => {
  it("its folder and program are there", () => {
    expect(check("    working_directory: project\n    executable: ./claude\n")).not.toThrow();
  });

  it("a missing folder is refused with its line", () => {
    const missing = join(folder, "projcet");
    expect(check("    working_directory: { root: projcet }\n")).toThrow(
      `${join(folder, "baton.yaml")}:4:32  working_directory cannot be found: ${missing}
   4 |     working_directory: { root: projcet }
     |                                ^^^^^^^
  make it with: mkdir -p "${missing}"`,
    );
  });

  it("auto_clone needs no repo where the folder is a repository, and says so where it is not", () => {
    const lines = "    working_directory: { root: project, auto_clone: true, clone_depth: 1 }\n";
    const says = `baton.yaml:4:32  auto_clone needs a repo: ${join(folder, "project")} is not a repository itself`;
    expect(check(lines)).toThrow(says);
    expect(check(lines)).toThrow("say where to clone it from: repo: https://github.com/you/project.git");
    mkdirSync(join(folder, "project", ".git"));
    expect(check(lines)).not.toThrow();
  });

  it("a file is not a folder, and a folder is not a program", () => {
    const refused = check("    working_directory: claude\n    executable: project\n");
    expect(refused).toThrow(`working_directory is not a folder: ${join(folder, "claude")}`);
    expect(check("    runtime: pi\n    executable: missing\n")).toThrow("which pi");
    expect(refused).toThrow(`executable is not a file: ${join(folder, "project")}`);
  });

  it("a missing template is refused with its line", () => {
    expect(check("    handoff: { template_path: docs/no.md }\n")).toThrow(
      `${join(folder, "baton.yaml")}:4:31  template_path cannot be found: ${join(folder, "docs/no.md")}`,
    );
  });

  it("the paths of another agent do not matter", () => {
    expect(check("    working_directory: nowhere\n", "other")).not.toThrow();
  });
});
