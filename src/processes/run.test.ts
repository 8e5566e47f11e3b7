import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { run } from "./run.ts";

const sh = (script: string, options?: Parameters<typeof run>[2]) => run("sh", ["-c", script], options);

it("tells what a program printed, with what was given to it", async () => {
  expect(await sh('cat; echo "$WORD"; pwd', { input: "in ", env: { WORD: "out" }, cwd: "/" })).toEqual({
    ok: true,
    code: 0,
    stdout: "in out\n/\n",
    said: "in out\n/",
  });
});

it("tells how a failure was explained, or else what was printed", async () => {
  expect(await sh("echo out; echo why >&2; exit 3")).toEqual({
    ok: false,
    code: 3,
    stdout: "out\n",
    said: "why",
  });
  expect(await sh("echo out; exit 3")).toMatchObject({ ok: false, said: "out" });
  expect(await sh("exit 3")).toMatchObject({ ok: false, said: "" });
});

it("has no exit code of a program that is not there, was killed, called off, or took too long", async () => {
  const missing = await run("no-such-program", []);
  expect(missing).toMatchObject({ ok: false, code: null, said: expect.stringContaining("ENOENT") });
  expect(await sh("kill -9 $$")).toMatchObject({ ok: false, code: null });
  expect(await sh("sleep 60", { signal: AbortSignal.abort() })).toMatchObject({ ok: false, code: null });
  expect(await sh("exec sleep 60", { timeoutMs: 20 })).toMatchObject({ ok: false, code: null });
});

it("is over when a program that was called off has ended, and one that does not want to is killed", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const orderly = new AbortController();
  const script = "trap 'sleep 0.1; echo in order; exit' TERM; touch ready; while :; do sleep 0.01; done";
  const running = sh(script, { cwd, signal: orderly.signal });
  await vi.waitUntil(() => existsSync(join(cwd, "ready")), { timeout: 20_000 });
  orderly.abort();
  expect((await running).stdout).toBe("in order\n");
  expect(await sh("trap '' TERM; while :; do sleep 0.01; done", { timeoutMs: 100 })).toMatchObject({
    code: null,
  });
});

it("does not mind a program that leaves its input unread", async () => {
  expect(await sh("exit 0", { input: "x".repeat(10_000_000) })).toMatchObject({ ok: true });
});
