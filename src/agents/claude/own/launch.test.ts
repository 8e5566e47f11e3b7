import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { keptOptions, launchLike } from "./launch.ts";

const keptArguments = (words: readonly string[]) => keptOptions(words).flatMap(({ words }) => words);

it("keeps how a person wants to work, and neither their words nor their session", () => {
  const words =
    "--model opus --dangerously-skip-permissions --resume abc --add-dir ../a ../b --permission-mode=plan --session-id x -c";
  expect(keptArguments(words.split(" "))).toEqual([
    "--model",
    "opus",
    "--dangerously-skip-permissions",
    "--add-dir",
    "../a",
    "../b",
    "--permission-mode=plan",
  ]);
  expect(keptArguments(["--plugin-dir", "p", "Fix the --model of it"])).toEqual(["--plugin-dir", "p"]);
  expect(keptArguments(["--", "--model", "opus"])).toEqual([]);
});

it("starts the same program in the same folder with the same environment", async () => {
  const env = { PATH: process.env.PATH ?? "", SECRET: "hush", CLAUDECODE: "1", TMUX: "/old,1,0" };
  const child = spawn("sleep", ["60"], { env });
  onTestFinished(async () => {
    child.kill();
    await once(child, "close");
  });
  await once(child, "spawn");
  const launch = await launchLike(
    { process: { pid: child.pid ?? 0, startTime: "" }, cwd: "/tmp" },
    "the-next",
    "Go on.",
  );
  expect(launch?.program).toMatch(/sleep|coreutils/);
  expect(launch).toMatchObject({ args: ["--session-id", "the-next", "--", "Go on."], cwd: "/tmp" });
  expect(launch?.env).toEqual({ PATH: env.PATH, SECRET: "hush" });
});
