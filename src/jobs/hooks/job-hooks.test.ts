import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BoxError } from "../../box/error.ts";
import type { JobEvent } from "../../job/events.ts";
import { emptyJob, type Job } from "../../job/job.ts";
import type { Launch } from "../../processes/launch.ts";
import { JobHooks } from "./job-hooks.ts";

/** Hooks of a job whose worktree is gone, and that is to run its commands in a container. */
function hooksWith(launchIn: (folder: string) => Promise<Launch | undefined>) {
  const repo = mkdtempSync(join(tmpdir(), "baton-hooks-"));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  const command = "touch ran.txt; echo $WHERE";
  const hook = { type: "shell" as const, command, continueOnError: true, timeoutMs: 10_000 };
  const workspace = { path: join(repo, "gone"), repo } as Job["workspace"];
  const events: JobEvent[] = [];
  const hooks = new JobHooks({
    config: {
      env: {},
      hooks: {
        beforeRun: [hook],
        afterRun: [],
        onError: [],
        onSessionStart: [],
        onContextThreshold: [],
        onHandoff: [],
      },
      workingDirectory: repo,
      workspace: { envPrefix: "BATON" } as never,
    },
    redact: (value) => value,
    env: { PATH: process.env.PATH ?? "" },
    store: "",
    job: () => ({ ...emptyJob("job-1"), workspace }),
    append: (event) => events.push(event),
    now: () => new Date(0),
    launchIn,
  });
  return { hooks, events, repo };
}

it("runs commands in a container also where the worktree is gone", async () => {
  const asked: string[] = [];
  const { hooks, events, repo } = hooksWith(async (folder) => {
    asked.push(folder);
    return (command) => ({ ...command, env: { ...command.env, WHERE: "inside" } });
  });
  await hooks.beforeRun(new AbortController().signal);
  expect(asked).toEqual([repo]);
  expect(events).toMatchObject([{ type: "hook", ok: true, output: "inside\n" }]);
});

it("runs none where its container cannot be made, and says why", async () => {
  const { hooks, events, repo } = hooksWith(async () => {
    throw new BoxError("podman is not on your PATH.", "install podman", "engine");
  });
  await hooks.beforeRun(new AbortController().signal);
  expect(events).toMatchObject([
    {
      type: "hook",
      ok: false,
      error: expect.stringMatching(/^it was not run, because its container could not be made: podman is not/),
    },
  ]);
  expect(existsSync(join(repo, "ran.txt"))).toBe(false);
});
