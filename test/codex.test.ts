import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../src/processes/run.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { codexEnvironment } from "./codex-home.ts";
import { CODEX, needs } from "./needs.ts";

it("the real Codex runs a script on the simulator, and its tools really run", async () => {
  needs("codex");
  const root = await mkdtemp(join(tmpdir(), "baton-codex-"));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(root, "work");
  await mkdir(folder);
  await using simulator = await startSimulator(steady({ steps: 3 }));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    ...(await codexEnvironment(simulator, join(root, "codex"))),
  };
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  const { stdout } = await run(CODEX, ["exec", ...flags, "Write the files."], { cwd: folder, env });
  expect(stdout).toContain("All 3 steps are done.");
  expect((await readdir(folder)).sort()).toEqual(["step-1.txt", "step-2.txt", "step-3.txt"]);
  expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
