import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WorkspaceError } from "../workspace.ts";
import { reservePorts } from "./ports.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-ports-"));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
});

/** Ports that were free a moment ago. */
async function somePorts(count: number): Promise<number[]> {
  using reserved = await reservePorts(count, []);
  return reserved.ports;
}

/** Binds it for the rest of the test. */
async function bind(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

describe("reserved ports", () => {
  it("are free, different, and within the range", async () => {
    using reserved = await reservePorts(20, []);
    expect(new Set(reserved.ports).size).toBe(20);
    for (const port of reserved.ports) {
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThan(30_000);
      await bind(port, "127.0.0.1");
    }
  });

  it("are the wished ones where those are free, each once", async () => {
    const [a = 0, b = 0] = await somePorts(2);
    using first = await reservePorts(2, [b, b, a]);
    expect(first.ports).toEqual([b, a]);
    using second = await reservePorts(2, [a, b]);
    expect(second.ports).not.toContain(a);
    expect(second.ports).not.toContain(b);
  });

  it("are to be had again once they are given back", async () => {
    const first = await reservePorts(1, []);
    first[Symbol.dispose]();
    using second = await reservePorts(1, first.ports);
    expect(second.ports).toEqual(first.ports);
  });

  it.each(["127.0.0.1", "0.0.0.0", "::1"])("are never one that somebody has bound on %s", async (host) => {
    const [taken = 0] = await somePorts(1);
    await bind(taken, host);
    using reserved = await reservePorts(1, [taken]);
    expect(reserved.ports).toHaveLength(1);
    expect(reserved.ports).not.toContain(taken);
  });

  it("pass over a wish that is outside of the range", async () => {
    using reserved = await reservePorts(1, [80, 65_536, -1, Number.NaN]);
    expect(reserved.ports[0]).toBeGreaterThanOrEqual(20_000);
  });

  it("touch nothing where none are asked for", async () => {
    using reserved = await reservePorts(0, [20_000]);
    expect(reserved.ports).toEqual([]);
    expect(existsSync(join(folder, `baton-${process.getuid?.()}`))).toBe(false);
  });

  it("are refused where the folder of their locks leads elsewhere", async () => {
    await mkdir(join(folder, "elsewhere"));
    await symlink("elsewhere", join(folder, `baton-${process.getuid?.()}`));
    await expect(reservePorts(1, [])).rejects.toThrow(WorkspaceError);
  });
});

describe("in many processes at once", () => {
  const script = `
    const { reservePorts } = await import(${JSON.stringify(join(import.meta.dirname, "ports.ts"))});
    const { once } = await import("node:events");
    console.log("ready");
    const [line] = await once(process.stdin, "data");
    globalThis.held = await reservePorts(5, JSON.parse(line));
    console.log(JSON.stringify(held.ports));
    setInterval(() => {}, 1000);`;

  function start() {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, next: async () => String((await lines.next()).value) };
  }

  it("no two get the same port, and the dead give theirs back", async () => {
    const wish = await somePorts(5);
    const all = Array.from({ length: 4 }, start);
    await Promise.all(all.map(({ next }) => next()));
    for (const { child } of all) child.stdin.write(JSON.stringify(wish));
    const got: number[][] = await Promise.all(all.map(async ({ next }) => JSON.parse(await next())));
    expect(new Set(got.flat()).size).toBe(20);

    using meanwhile = await reservePorts(5, wish);
    expect(meanwhile.ports.filter((port) => got.flat().includes(port))).toEqual([]);
    for (const { child } of all) child.kill("SIGKILL");
    await Promise.all(all.map(({ child }) => once(child, "exit")));
    using afterwards = await reservePorts(5, wish);
    expect(new Set(afterwards.ports)).toEqual(new Set(wish));
  });
});
