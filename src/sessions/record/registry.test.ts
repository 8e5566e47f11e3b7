import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Registry } from "./registry.ts";
import { newSession } from "./session.ts";

const ID = "session-1";
/** Far less than the ten seconds after which a lock is broken whoever holds it. */
const SOON_MS = 5_000;

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-registry-"));
  registry = new Registry(folder);
  await registry.update(ID, () => newSession({ id: ID, cwd: "/", project: "/", startedAt: "" }));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Another process on the registry. `count` adds an entry to the session; `die` ends the process while it changes it. */
async function processThat(work: string): Promise<void> {
  const script = `
    import { Registry } from ${JSON.stringify(new URL("./registry.ts", import.meta.url).href)};
    const registry = new Registry(${JSON.stringify(folder)});
    const count = async (times) => {
      for (let i = 0; i < times; i++)
        await registry.update("${ID}", (known) => ({ ...known, warned: [...known.warned, i] }));
    };
    const die = (end) => registry.update("${ID}", () => { end(); return new Promise(() => setInterval(() => {}, 1000)); });
    ${work}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  await once(child, "exit");
}

const counted = async () => (await registry.find(ID))?.warned.length;

describe("a process that dies while it changes a session", () => {
  it.each([
    ["is killed", 'process.kill(process.pid, "SIGKILL")'],
    ["gives up by itself, as a hook does that takes too long", "process.exit(0)"],
  ])(
    "and %s keeps nobody waiting",
    async (_how, end) => {
      await processThat(`await count(1); await die(() => ${end});`);
      await registry.update(ID, (known) => known && { ...known, warned: [...known.warned, 1] });
      expect(await counted()).toBe(2);
    },
    SOON_MS,
  );

  it("leaves the session to one of those that come after it at a time, however many they are", async () => {
    const dies = (times: number) =>
      processThat(`await count(${times}); await die(() => process.kill(process.pid, "SIGKILL"));`);
    await dies(1);
    await Promise.all([
      ...[20, 20, 20].map((times) => processThat(`await count(${times});`)),
      ...[3, 5].map(dies),
    ]);
    // The last of them may have died with the lock in its hand.
    await registry.update(ID, (known) => known);
    expect(await counted()).toBe(1 + 3 * 20 + 3 + 5);
    expect(readdirSync(folder)).toEqual([`${ID}.json`]);
  });
});

it("a lock that does not name its holder, as an earlier Baton left it, is broken when it is old", async () => {
  const lock = join(folder, `${ID}.json.lock`);
  writeFileSync(lock, "");
  const old = Date.now() / 1000 - 60;
  utimesSync(lock, old, old);
  await registry.update(ID, (known) => known && { ...known, warned: [1] });
  expect(await counted()).toBe(1);
});
