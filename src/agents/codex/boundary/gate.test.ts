import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { Gate } from "./gate.ts";

it("lets pass who comes, also while somebody still waits who was left there", async () => {
  const gate = await Gate.open();
  onTestFinished(() => gate.close());
  const waiter = async () => {
    const child = spawn("sh", ["-c", `{ ${gate.command}; }`]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await vi.waitUntil(() => readlinkSync(`/proc/${child.pid}/fd/0`).endsWith("/gate"), { interval: 5 });
    return child;
  };
  const left = await waiter();
  gate.reset(true);
  const next = await waiter();
  gate.pass();
  expect(await once(next, "exit")).toEqual([0, null]);
  expect(left.exitCode).toBeNull();
});
