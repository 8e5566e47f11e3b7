import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lock, lockOneOf, tryLock } from "./lock.ts";

const signal = new AbortController().signal;

async function lockPath() {
  const folder = await mkdtemp(join(tmpdir(), "baton-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "deep", "lock");
}

it("is held by one at a time, and given to the next when it is released", async () => {
  const path = await lockPath();
  const first = await lock(path, signal);
  expect(await tryLock(path)).toBeUndefined();
  const second = lock(path, signal);
  first.release();
  (await second).release();
});

it("lets as many hold one as there are files", async () => {
  const path = await lockPath();
  using _a = await lockOneOf([`${path}-1`, `${path}-2`], signal);
  using b = await lockOneOf([`${path}-1`, `${path}-2`], signal);
  const third = lockOneOf([`${path}-1`, `${path}-2`], signal);
  b.release();
  (await third).release();
});

it("stops waiting when it is told to", async () => {
  const path = await lockPath();
  using _held = await lock(path, signal);
  const controller = new AbortController();
  const waiting = lock(path, controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow();
});

it("is free again when its holder is killed", async () => {
  const path = await lockPath();
  const script = `const { lock } = await import(${JSON.stringify(join(import.meta.dirname, "lock.ts"))});
    globalThis.held = await lock(${JSON.stringify(path)}, new AbortController().signal);
    console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  expect(await tryLock(path)).toBeUndefined();
  child.kill("SIGKILL");
  await once(child, "exit");
  (await lock(path, signal)).release();
});
