/** @module-tag slow */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parts } from "../../test/harness.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "./claims.ts";
import { readEvents } from "./events.ts";
import { createJob, findJob, jobOf } from "./jobs.ts";
import { openStore, openStoreToRead } from "./store.ts";
import { sweepInterrupted } from "./sweep.ts";

const id = "job-2026-01-01-abc123";
const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;

let folder: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-processes-"));
  path = join(folder, "baton.db");
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true });
});

async function withOneJob() {
  await using store = await openStore(path);
  await createJob(store, id, created, new Date());
}

const imports = `
  import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))};
  import { claimJob, Journal, openStore, sweepInterrupted, thisProcess } from ${JSON.stringify(parts)};
  import { createInterface } from "node:readline";
  const [path, id] = process.argv.slice(1);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const say = (line) => console.log(line);
`;

/** A process that says "ready" when it has loaded everything, and goes on when it is told to. */
async function startProcess(script: string) {
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", `${imports} say("ready"); await lines.next(); ${script}`, path, id],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => (await lines.next()).value;
  expect(await next()).toBe("ready");
  return { child, next, go: () => child.stdin.write("go\n") };
}

/** Lets several processes do the same at the same moment and returns what each of them says. */
async function atOnce(count: number, script: string) {
  const all = await Promise.all(Array.from({ length: count }, () => startProcess(script)));
  for (const { go } of all) go();
  return Promise.all(all.map(({ next }) => next()));
}

describe("two processes on one store", () => {
  it("can both open it while it does not exist", async () => {
    const said = await atOnce(4, `await openStore(path); say("open"); await lines.next();`);
    expect(said).toEqual(["open", "open", "open", "open"]);
  });

  it("can open it while another is still making it", async () => {
    const maker = await startProcess(
      `const made = new Database(path); made.exec("BEGIN IMMEDIATE; CREATE TABLE t (a)"); say("making");
       await lines.next(); made.exec("ROLLBACK"); made.close(); say("made");`,
    );
    maker.go();
    expect(await maker.next()).toBe("making");
    const opening = openStore(path);
    maker.go();
    expect(await maker.next()).toBe("made");
    await (await opening).close();
  });

  it("never both get the same job", async () => {
    await withOneJob();
    const said = await atOnce(
      3,
      `const store = await openStore(path);
       const claim = await claimJob(store, id, thisProcess(), new Date()).catch((error) => error);
       say(claim.name ?? "attempt " + claim.attempt);
       await lines.next();`,
    );
    expect(said.sort()).toEqual(["JobOwnedError", "JobOwnedError", "attempt 1"]);
  });

  it("mark an interrupted job once between them", async () => {
    await withOneJob();
    await using store = await openStore(path);
    await claimJob(store, id, { ...thisProcess(), boot: "an earlier boot" }, new Date());
    const said = await atOnce(
      3,
      `const marked = await sweepInterrupted(await openStore(path), new Date()); say(marked.length); await lines.next();`,
    );
    expect(said.sort()).toEqual(["0", "0", "1"]);
    const types = (await readEvents(store, id, 0)).map((event) => event.type);
    expect(types).toEqual(["job:created", "job:interrupted"]);
  });

  it("lose no events when both write all the time", async () => {
    await withOneJob();
    const second = "job-2026-01-01-zzz999";
    await using store = await openStore(path);
    await createJob(store, second, created, new Date());
    const write = (job: string) => `
      const store = await openStore(path);
      const claim = await claimJob(store, ${JSON.stringify(job)}, thisProcess(), new Date());
      const journal = new Journal(store, claim, () => new Date());
      for (let n = 0; n < 200; n++) await journal.record({ type: "warning", message: String(n) });
      say("done"); await lines.next();`;
    const writers = await Promise.all([startProcess(write(id)), startProcess(write(second))]);
    for (const { go } of writers) go();
    expect(await Promise.all(writers.map(({ next }) => next()))).toEqual(["done", "done"]);
    expect((await findJob(store, id)).seq).toBe(201);
    expect((await findJob(store, second)).seq).toBe(201);
  });
});

describe("a store that another process has locked", () => {
  it("is refused for writing with what to do, and can still be read", async () => {
    await withOneJob();
    const holder = await startProcess(
      `const held = new Database(path); held.exec("BEGIN EXCLUSIVE"); say("held"); await lines.next();`,
    );
    holder.go();
    expect(await holder.next()).toBe("held");
    await expect(openStore(path, 20)).rejects.toMatchObject({
      name: "StoreError",
      code: "locked",
      message: expect.stringContaining("fuser"),
    });
    await using store = await openStoreToRead(path, 20);
    expect(await findJob(store, id)).toMatchObject({ id });
  });
});

describe("a writer that is killed", () => {
  /** It appends for ever, and says which event it knows to be durable. */
  const writer = `
    const store = await openStore(path);
    const journal = new Journal(store, await claimJob(store, id, thisProcess(), new Date()), () => new Date());
    journal.subscribe(({ seq }) => say(seq));
    await journal.record({ type: "job:started", pid: process.pid, marker: "m" });
    for (let n = 0; ; n++) {
      journal.append({ type: "text", session: "a", text: "x".repeat(n % 3000) });
      if (n % 5 === 0) await journal.record({ type: "warning", message: "w" });
      else if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }`;

  it.each([2, 3, 7, 20, 61, 150])(
    "at event %i leaves all that was durable, in order, and can be taken over",
    async (stop) => {
      await withOneJob();
      const { child, next, go } = await startProcess(writer);
      go();
      let told = 0;
      while (told < stop) told = Number(await next());
      child.kill("SIGKILL");
      await once(child, "exit");
      for (let line = await next(); line !== undefined; line = await next()) told = Number(line);

      await using store = await openStore(path);
      const kept = await readEvents(store, id, 0, 1_000_000);
      expect(kept.length).toBeGreaterThanOrEqual(told);
      expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1));
      expect(await findJob(store, id)).toEqual(await jobOf(store, { id, snapshot: null }));

      expect(await sweepInterrupted(store, new Date())).toMatchObject([{ status: "interrupted" }]);
      expect(await claimJob(store, id, thisProcess(), new Date())).toMatchObject({ attempt: 3 });
    },
  );
});
