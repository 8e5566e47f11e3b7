import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Account, agentEnvironment } from "../src/simulator/environment.ts";
import { agreeIn } from "../test/agree.ts";
import { MODEL, PERMISSION_MODE, type Place } from "./programs.ts";

const execute = promisify(execFile);

/** A throwaway git repository with a baton.yaml, and a home in which Claude Code has never run. */
export interface BenchProject extends Place, AsyncDisposable {}

/** `more`: what else a program needs in its environment, which may put files below the home. */
export async function freshProject(
  model: { url: string },
  agentKeys = "",
  {
    account = "key",
    more = () => ({}),
  }: { account?: Account; more?: (home: string) => Record<string, string> } = {},
): Promise<BenchProject> {
  const root = await mkdtemp(join(tmpdir(), "baton-bench-"));
  const folder = join(root, "project");
  await mkdir(folder);
  await execute("git", ["init", "-q", folder]);
  await writeFile(
    join(folder, "baton.yaml"),
    `agents:\n  - name: coder\n    permission_mode: ${PERMISSION_MODE}\n${agentKeys}${/^ *model:/m.test(agentKeys) ? "" : `    model: ${MODEL}\n`}`,
  );
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    ...agentEnvironment(model, join(root, "claude"), account),
    ...more(root),
  };
  agreeIn({ folder, env });
  return {
    folder,
    env,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
