import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

/** A folder with a baton.yaml and nothing else, for jobs without the real agent. Removed after the test. */
export async function bareProject(agent = ""): Promise<{ folder: string; env: Record<string, string> }> {
  const root = await mkdtemp(join(tmpdir(), "baton-library-"));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  // What this process makes for the test is the same user's as what its `baton` makes.
  vi.stubEnv("XDG_STATE_HOME", join(root, ".local", "state"));
  const folder = join(root, "project");
  await mkdir(folder);
  const keys = ["name: coder", ...agent.split("\n").filter(Boolean)];
  const lines = keys.map((line, index) => `${index === 0 ? "  - " : "    "}${line}`);
  await writeFile(join(folder, "baton.yaml"), `agents:\n${lines.join("\n")}\n`);
  return { folder, env: { PATH: process.env.PATH ?? "", HOME: root, TERM: "dumb" } };
}
