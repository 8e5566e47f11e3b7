import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isRunning } from "../../test/processes.ts";
import { endMarked, type Mark, markedProcesses, ownerMark, sessionMark } from "./marks.ts";

const marks: Mark[] = [];

afterEach(async () => {
  for (const mark of marks.splice(0)) await endMarked(mark);
});

/** Before the mark, so that it stands further back than one look at a file reaches. */
const MANY_VARIABLES = "x".repeat(40_000);

/** Runs a shell script and resolves with the numbers of processes that it prints first. */
async function start(script: string, mark: Mark): Promise<number[]> {
  marks.push(mark);
  const child = spawn("sh", ["-c", script], {
    env: { PATH: process.env.PATH, MANY_VARIABLES, [mark.name]: mark.value },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(child.stdout, "data");
  return String(line).trim().split(/\s+/).map(Number);
}

describe("marked processes", () => {
  it("are found wherever they moved in the process tree, and ended with all that they started", async () => {
    const mark = sessionMark(randomUUID());
    const known = await start(
      '(setsid nohup sleep 602 >/dev/null 2>&1 &); sleep 600 & a=$!; setsid sleep 601 & echo "$$ $a $!"; wait',
      mark,
    );
    // All in one look: what is just becoming another program has no environment for a moment.
    await vi.waitFor(async () => {
      const found = await markedProcesses(mark);
      expect(found).toHaveLength(known.length + 1);
      expect(found).toEqual(expect.arrayContaining(known));
    });

    expect(await endMarked(mark)).toBeGreaterThanOrEqual(4);
    expect(await markedProcesses(mark)).toEqual([]);
  });

  it("are ended even while they start others", async () => {
    const mark = ownerMark(randomUUID());
    await start("echo $$; while :; do sleep 600 & sleep 0.01; done", mark);
    expect(await endMarked(mark)).toBeGreaterThan(0);
    expect(await markedProcesses(mark)).toEqual([]);
  });

  it("may put their things in order first, are asked once, and are killed where they do not end", async () => {
    const folder = await mkdtemp(join(tmpdir(), "baton-test-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const mark = ownerMark(randomUUID());
    const orderly = `trap 'sleep 0.1; echo asked >> "${folder}/orderly"; exit' TERM`;
    await start(`${orderly}; echo $$; while :; do sleep 0.01; done`, mark);
    const [stubborn = 0] = await start("trap '' TERM; echo $$; while :; do sleep 0.01; done", mark);
    await Promise.all([endMarked(mark), endMarked(mark)]);
    expect(await readFile(join(folder, "orderly"), "utf8")).toBe("asked\n");
    expect(await isRunning(stubborn)).toBe(false);
  });

  it("are told apart by the whole value of the mark", async () => {
    const value = randomUUID();
    const [pid] = await start("echo $$; exec sleep 600", ownerMark(value));
    expect(await markedProcesses(ownerMark(value.slice(0, -1)))).toEqual([]);
    expect(await markedProcesses(sessionMark(value))).toEqual([]);
    expect(await endMarked(ownerMark(randomUUID()))).toBe(0);
    expect(await markedProcesses(ownerMark(value))).toEqual([pid]);
  });

  it("never include the process that looks", async () => {
    const mark = { name: "PATH", value: process.env.PATH ?? "" };
    expect(await markedProcesses(mark)).not.toContain(process.pid);
  });
});
