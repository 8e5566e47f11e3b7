import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Activity, activityOf, isAtRest } from "./activity.ts";
import { endMarked, sessionMark } from "./marks.ts";

const seen = (at: number, ...processes: [string, number, number][]): Activity => ({
  at,
  processes: new Map(processes.map(([id, cpuMs, output]) => [id, { cpuMs, output }])),
});

describe("commands in the background", () => {
  it.each<[string, boolean, Activity, Activity]>([
    ["that wait", true, seen(0, ["1", 500, 9]), seen(5_000, ["1", 500, 9])],
    ["that look around now and then", true, seen(0, ["1", 500, 9]), seen(5_000, ["1", 740, 9])],
    ["that compute", false, seen(0, ["1", 500, 9]), seen(5_000, ["1", 760, 9])],
    [
      "that compute together",
      false,
      seen(0, ["1", 0, 0], ["2", 0, 0]),
      seen(5_000, ["1", 130, 0], ["2", 130, 0]),
    ],
    ["that print", false, seen(0, ["1", 500, 9]), seen(5_000, ["1", 500, 10])],
    ["that start others", false, seen(0, ["1", 500, 9]), seen(5_000, ["1", 500, 9], ["2", 0, 0])],
    ["of which one has ended", false, seen(0, ["1", 500, 9], ["2", 0, 0]), seen(5_000, ["1", 500, 9])],
  ])("%s are at rest: %s", (_, expected, before, after) => {
    expect(isAtRest(before, after)).toBe(expected);
  });
});

describe.runIf(process.platform === "linux")("what can be seen of a command", () => {
  const mark = sessionMark(`activity-${randomUUID()}`);
  const look = () => activityOf(mark, () => performance.now());
  const processes = async () => [...((await look())?.processes.values() ?? [])];
  let folder: string;
  let program: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "baton-activity-"));
  });

  afterEach(async () => {
    program?.kill("SIGKILL");
    await endMarked(mark);
    rmSync(folder, { recursive: true });
  });

  /** As an agent's program starts a command: in a session of its own, which prints to a file. */
  function start(command: string): void {
    writeFileSync(join(folder, "command"), command);
    const script = "setsid sh ./command > output 2>&1 & while :; do sleep 0.05; done";
    const env = { PATH: process.env.PATH, [mark.name]: mark.value };
    program = spawn("sh", ["-c", script], { cwd: folder, env, detached: true, stdio: "ignore" });
  }

  it("is nothing of the agent's own program, which starts others all the time", async () => {
    start("exec tail -f /dev/null");
    await vi.waitFor(async () => expect(await processes()).toHaveLength(1), { timeout: 20_000 });
    const before = await look();
    const after = await look();
    expect(before && after && isAtRest(before, { ...after, at: before.at + 5_000 })).toBe(true);
  });

  it("is what its children do, without the mark too, and how much they have printed", async () => {
    start(
      "env -i sh -c 'echo begun; until [ -e more ]; do sleep 0.02; done; echo more; exec tail -f /dev/null'; :",
    );
    const printed = async (bytes: number) =>
      vi.waitFor(async () => expect((await processes()).map(({ output }) => output)).toContain(bytes), {
        timeout: 20_000,
      });
    await printed("begun\n".length);
    writeFileSync(join(folder, "more"), "");
    await printed("begun\nmore\n".length);
    await vi.waitFor(async () => expect(await processes()).toHaveLength(2), { timeout: 20_000 });
  });

  it("is nothing where no command runs", async () => {
    expect(await look()).toBeUndefined();
  });
});
