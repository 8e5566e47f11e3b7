import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { codexReadiness } from "./program.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "baton-codex-program-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** As a package manager other than npm installs it. */
function alone(version: string): string {
  const path = join(folder(), "codex");
  writeFileSync(path, `#!/bin/sh\necho "codex-cli ${version}"\n`, { mode: 0o755 });
  return path;
}

function inPackage(version: string): string {
  const made = folder();
  mkdirSync(join(made, "bin"));
  writeFileSync(join(made, "package.json"), JSON.stringify({ name: "@openai/codex", version }));
  const path = join(made, "bin", "codex.js");
  writeFileSync(path, "#!/bin/sh\necho 'codex-cli 9.0.0'\n", { mode: 0o755 });
  return path;
}

it.each([
  ["its package", inPackage],
  ["what it says itself", alone],
])("is refused before anything starts where it is too old, by %s", async (_, install) => {
  const executable = install("0.100.0");
  const env = { OPENAI_API_KEY: "key" };
  expect(await codexReadiness({ env, executable })).toEqual({
    state: "no-program",
    problem: `Codex 0.100.0 at ${executable} is too old: Baton needs 0.166.0 or newer.`,
    fix: "Update it with `npm install -g @openai/codex@latest`.",
  });
  expect(await codexReadiness({ env, executable: install("0.166.0") })).toMatchObject({ state: "ready" });
});
