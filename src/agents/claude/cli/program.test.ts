import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/job-worktree.ts";
import { cliReadiness } from "./program.ts";

const env = { ANTHROPIC_API_KEY: "sk-ant-simulator" };

/** A `claude` on the PATH, that npm has installed, its own installer or another. */
async function installed(version: string, by: "npm" | "itself" | "Homebrew"): Promise<string> {
  const folder = await temporaryFolder();
  const file = {
    npm: join(folder, "package", "cli.js"),
    itself: join(folder, version),
    Homebrew: join(folder, "Caskroom", "claude-code", version, "claude"),
  }[by];
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "", { mode: 0o755 });
  const name = { name: "@anthropic-ai/claude-code", version };
  if (by === "npm") await writeFile(join(folder, "package", "package.json"), JSON.stringify(name));
  const link = join(folder, "claude");
  await symlink(file, link);
  return link;
}

describe("the user's own claude", () => {
  it.each(["npm", "itself", "Homebrew"] as const)(
    "is refused where it is too old, with how to update it: by %s",
    async (by) => {
      const executable = await installed("2.1.116", by);
      expect(await cliReadiness({ env, executable })).toEqual({
        state: "no-program",
        problem: `Claude Code 2.1.116 at ${executable} is too old: Baton needs 2.1.118 or newer.`,
        fix: "Update it with `claude update`, or with `npm install -g @anthropic-ai/claude-code@latest`.",
      });
    },
  );

  it.each(["npm", "itself", "Homebrew"] as const)("is taken where it is new enough: by %s", async (by) => {
    const executable = await installed("2.1.325", by);
    expect(await cliReadiness({ env, executable })).toMatchObject({ state: "ready", program: executable });
  });
});
