import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, testProject } from "./harness.ts";

it("gives the real program each file with instructions once: what it reads itself, and all others", {
  tags: ["claude"],
}, async () => {
  const project = await testProject({
    scenario: { name: "hello", summary: "", otherwise: { say: "Hello." } },
  });
  const files = { "CLAUDE.md": "Use tabs.", "AGENTS.md": "Use pnpm.", "GEMINI.md": "Be brief." };
  for (const [name, text] of Object.entries(files)) await writeFile(join(project.folder, name), text);
  const { code } = await baton(project, ["run", "coder", "Say hello.", "--json"]);
  expect(code).toBe(0);
  const { system = "", text = "" } = project.simulator.requests[0]?.request ?? {};
  for (const said of Object.values(files)) expect(`${system}\n${text}`.split(said)).toHaveLength(2);
  expect(system).toMatch(/the user's instructions[\s\S]*File "AGENTS.md":\nUse pnpm.[\s\S]*Be brief\./);
  expect(system).not.toContain("Use tabs.");
});
