import { expect, it } from "vitest";
import { messengerHook, runAll, runOne, shellHook, webhookHook } from "../../test/hooks.ts";
import type { HookRun } from "./hook-run.ts";

const outcomes = (runs: HookRun[]) => runs.map(({ name, ok, skipped }) => [name, skipped ?? ok]);

it("runs hooks in order and tells of each before the next begins", async () => {
  const told: string[] = [];
  const { runs, stoppedBy } = await runAll(
    [shellHook("echo one", { name: "first" }), shellHook("echo two"), shellHook("exit 4")],
    { onRun: async ({ name, output }) => void told.push(`${name}: ${output.trim()}`) },
  );
  expect(told).toEqual(["first: one", "shell 2: two", "shell 3: "]);
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 4]);
  expect(runs[0]).toMatchObject({ name: "first", kind: "shell", ok: true, output: "one\n" });
  expect(stoppedBy).toBeUndefined();
});

it("goes on after a failure unless the hook forbids it, and then says which one it was", async () => {
  const { runs, stoppedBy } = await runAll([
    shellHook("exit 1", { name: "harmless" }),
    shellHook("exit 1", { name: "check", continueOnError: false }),
    shellHook("echo never", { name: "publish" }),
  ]);
  expect(outcomes(runs)).toEqual([
    ["harmless", false],
    ["check", false],
    ["publish", '"check" failed before it'],
  ]);
  expect(stoppedBy?.name).toBe("check");
});

it("runs only what is for the event, and what its condition allows", async () => {
  const { runs } = await runAll(
    [
      shellHook("true", { name: "both", onEvents: ["completed", "failed"] }),
      shellHook("true", { name: "failures", onEvents: ["failed", "timeout"] }),
      shellHook("true", { name: "success", when: "result.success" }),
      shellHook("true", { name: "no success", when: "!result.success" }),
      shellHook("true", { name: "published", when: "job.pull_request" }),
    ],
    { event: "completed" },
  );
  expect(outcomes(runs)).toEqual([
    ["both", true],
    ["failures", "it is for failed, timeout"],
    ["success", true],
    ["no success", "!result.success does not hold"],
    ["published", "job.pull_request does not hold"],
  ]);
});

it("skips a hook with events of its own before a run", async () => {
  const run = await runOne(shellHook("true", { onEvents: ["completed"] }), { event: "before_run" });
  expect(run.skipped).toBe("it is for completed");
});

it("starts nothing more once the job is ending", async () => {
  const controller = new AbortController();
  const running = runAll([shellHook("sleep 1000"), shellHook("echo late")], { signal: controller.signal });
  controller.abort();
  const { runs } = await running;
  expect(runs[0]).toMatchObject({ ok: false, error: "it was ended, because the job is ending" });
  expect(runs[1]).toMatchObject({ ok: true, skipped: "the job is ending", output: "" });
});

it("never throws, whatever is wrong with a hook", async () => {
  const { runs } = await runAll(
    [
      shellHook("true", { name: "nowhere" }),
      webhookHook("not a url"),
      webhookHook("ftp://127.0.0.1/x"),
      webhookHook("http://user:password@127.0.0.1/x"),
      webhookHook("http://127.0.0.1/x", { headers: { "x-token": "a\nb-secret" } }),
      messengerHook("slack", "http://127.0.0.1"),
      messengerHook("discord", "http://127.0.0.1", { channelId: "1" }),
    ],
    { cwd: "/nowhere" },
  );
  expect(runs.map(({ ok, error }) => [ok, error])).toEqual([
    [false, "it could not be started in /nowhere: spawn /bin/sh ENOENT"],
    [false, "its address is not an http or https URL. Correct it in the configuration."],
    [false, "its address is not an http or https URL. Correct it in the configuration."],
    [false, "the address of 127.0.0.1 has a user name in it. Put an Authorization header instead."],
    [
      false,
      'the header "x-token" cannot be sent: its name or its value has characters that HTTP does not allow.',
    ],
    [false, "it needs a channel_id or a webhook_url."],
    [false, "BOT_TOKEN is not set. It must hold the bot's token."],
  ]);
});
