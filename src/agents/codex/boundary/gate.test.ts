import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readlinkSync, readSync } from "node:fs";
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

it("touches no other file once it is closed, whose number may be the same", async () => {
  const gate = await Gate.open();
  gate.close();
  const opened = [openSync(import.meta.filename, "r"), openSync(import.meta.filename, "r")];
  onTestFinished(() => opened.forEach(closeSync));
  gate.pass();
  gate.reset(false);
  gate.reset(true);
  gate.close();
  const beginnings = opened.map((file) => {
    const read = Buffer.alloc(6);
    readSync(file, read);
    return read.toString();
  });
  expect(beginnings).toEqual(["import", "import"]);
});
