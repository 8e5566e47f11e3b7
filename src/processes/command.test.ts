import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type CommandOptions, runCommand } from "./command.ts";

const run = (command: string, options: Partial<CommandOptions> = {}) =>
  runCommand({
    command,
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? "" },
    timeoutMs: 20_000,
    ...options,
  });

/** A zombie has ended; only nobody has asked how. */
const isGone = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return true;
  }
};

it("gives its input and says how it ended", async () => {
  expect(await run("cat; echo problem >&2; exit 3", { input: "text ✓" })).toMatchObject({
    ok: false,
    exitCode: 3,
    stdout: "text ✓",
    stderr: "problem\n",
    timedOut: false,
  });
  expect(await run("true", { input: "x".repeat(1_000_000) })).toMatchObject({ ok: true });
});

it("ends the whole group when it takes too long, also one that does not want to", async () => {
  const ended = await run("trap '' TERM; (trap '' TERM; sleep 1000) & echo $!; wait", { timeoutMs: 300 });
  expect(ended).toMatchObject({ ok: false, timedOut: true, error: "it took longer than 300 ms" });
  expect(isGone(Number(ended.stdout))).toBe(true);
});

it("does not wait for what it leaves in the background, and ends that unless told otherwise", async () => {
  const ended = await run("sleep 1000 & echo $!");
  expect(ended).toMatchObject({ ok: true, exitCode: 0 });
  const left = await run("sleep 1000 & echo $!", { leftovers: "leave" });
  expect(isGone(Number(left.stdout))).toBe(false);
  process.kill(Number(left.stdout), "SIGKILL");
});

it("lets what it leaves, and what is ended with it, put things in order first", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const orderly = (name: string) =>
    `(trap 'sleep 0.3; echo ${name} >> order; exit' TERM; touch ${name}; while :; do sleep 0.01; done) &`;
  await run(`${orderly("left")} until [ -e left ]; do sleep 0.01; done`, { cwd });
  const controller = new AbortController();
  const ended = run(`${orderly("ended")} wait`, { cwd, signal: controller.signal });
  await vi.waitUntil(() => existsSync(join(cwd, "ended")), { timeout: 20_000 });
  controller.abort();
  await ended;
  expect(await readFile(join(cwd, "order"), "utf8")).toBe("left\nended\n");
});

it("keeps the beginning and the end of megabytes", async () => {
  const { stdout } = await run("echo first; yes | head -c 5000000; echo last", { outputLimit: 1000 });
  expect(stdout.length).toBeLessThan(1100);
  expect(stdout).toMatch(/^first\n[\s\S]* characters left out …[\s\S]*last\n$/);
});

it("ends when the job ends, and says when it cannot start", async () => {
  const controller = new AbortController();
  const running = run("sleep 1000", { signal: controller.signal });
  controller.abort();
  expect(await running).toMatchObject({ ok: false, error: "the job is ending" });
  expect(await run("true", { cwd: "/nowhere" })).toMatchObject({
    ok: false,
    error: expect.stringContaining("ENOENT"),
  });
});
