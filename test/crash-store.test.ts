import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import type { Reply } from "../src/simulator/scenario.ts";
import { lastDone } from "../src/simulator/scenarios/steady.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore } from "../src/store/store.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, baton, ofType, shown, stepsDone, type TestProject, testProject, upTo } from "./harness.ts";
import { agentProcesses } from "./processes.ts";

const id = "job-2026-01-01-abc123";
const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;

/** A project in which one job is on record. No agent is ever needed to look at it. */
async function withOneJob(): Promise<{ project: TestProject; path: string }> {
  // Nothing in it needs a yes, so that whoever runs it is refused for the store alone.
  const project = await testProject({ scenario: careful(1), trusted: "no" });
  const path = join(project.folder, ".baton", "baton.db");
  await using store = await openStore(path);
  await createJob(store, id, created, new Date());
  return { project, path };
}

function lock(path: string): Disposable {
  const holder = new Database(path);
  holder.exec("BEGIN EXCLUSIVE");
  return { [Symbol.dispose]: () => holder.close() };
}

describe("a store that another process has locked", () => {
  it("is still shown, and no job is run in it", async () => {
    const { project, path } = await withOneJob();
    using _locked = lock(path);
    const [jobs, show, run] = await Promise.all([
      baton(project, ["jobs", "--json"]),
      baton(project, ["show", id]),
      baton(project, ["run", "coder", "Write the files."]),
    ]);
    expect(jobs).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/is locked by another process.*fuser/),
    });
    expect(JSON.parse(jobs.stdout)).toMatchObject([{ id, prompt: "Do it" }]);
    expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining("Do it") });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("is locked by another process") });
    expect(project.simulator.requests).toEqual([]);
  });

  it("in the middle of a job ends the agent; the job pauses once it is free, and a resume continues", async () => {
    const answer = Promise.withResolvers<Reply>();
    const project = await testProject({
      scenario: careful(
        2,
        onceAfter(1, () => answer.promise),
      ),
    });
    const running = new Baton(project, RUN);
    await project.simulator.waitFor(({ request }) => lastDone(request) === 1);
    await running.event((event) => event.type === "tool:end" && event.output.includes("done:1"));
    const { id } = await shown(project);
    {
      using _locked = lock(join(project.folder, ".baton", "baton.db"));
      answer.resolve({ say: "I look at it.", call: bash("tail -f /dev/null", "Wait") });
      await vi.waitUntil(async () => (await agentProcesses(running)).length === 0, { timeout: 30_000 });
      expect(running.child.exitCode).toBeNull();
    }
    expect(await running.exit).toMatchObject({ code: 3 });
    expect(ofType(running.events, "text").map(({ text }) => text)).toContain("I look at it.");
    const { status, error } = await shown(project);
    expect(status).toBe("paused");
    expect(error).toMatch(/Another process held the store .*baton resume/s);
    expect((await baton(project, ["resume", id, "--json"])).code).toBe(0);
    expect(await stepsDone(project)).toEqual(upTo(2));
  });
});

describe("a read-only store of another user", () => {
  it("is still shown, and no job is run in it", async (context) => {
    const { project, path } = await withOneJob();
    await Promise.all([
      chmod(dirname(project.folder), 0o755),
      chmod(path, 0o444),
      chmod(dirname(path), 0o555),
    ]);
    // Root may write everywhere, and in a private folder nobody else can even start the program.
    const version = await asOrdinaryUser(project, ["--version"]).catch(() => ({ code: 1 }));
    context.skip(version.code !== 0, "an ordinary user cannot read this checkout");

    const jobs = await asOrdinaryUser(project, ["jobs", "--json"]);
    expect(jobs, jobs.stdout).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("belongs to another user"),
    });
    expect(JSON.parse(jobs.stdout)).toMatchObject([{ id, prompt: "Do it" }]);
    const show = await asOrdinaryUser(project, ["show", id]);
    expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining("Do it") });
    const run = await asOrdinaryUser(project, ["run", "coder", "Write the files."]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("belongs to another user") });
    expect(project.simulator.requests).toEqual([]);
  });
});

describe("a damaged store", () => {
  it("that is no database is refused with what to do, and is left as it is", async () => {
    const { project, path } = await withOneJob();
    const damaged = "This is not a database, however long one looks at it. ".repeat(100);
    await writeFile(path, damaged);
    for (const args of [["jobs"], ["show", id], ["run", "coder", "Write the files."], ["resume", id]]) {
      const refused = await baton(project, args);
      expect(refused).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/is damaged.*\.recover/),
      });
    }
    expect(await readFile(path, "utf8")).toBe(damaged);
    expect(project.simulator.requests).toEqual([]);
  });

  it("in which only events are hit still shows its jobs", async () => {
    const { project, path } = await withOneJob();
    await damageEvents(path);
    const jobs = await baton(project, ["jobs", "--json"]);
    expect(jobs.code).toBe(0);
    expect(JSON.parse(jobs.stdout)).toMatchObject([{ id, prompt: "Do it" }]);
    const show = await baton(project, ["show", id]);
    expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining("Do it") });
    const logs = await baton(project, ["logs", id]);
    expect(logs).toMatchObject({ code: 1, stderr: expect.stringMatching(/is damaged.*\.recover/) });
  });
});

async function damageEvents(path: string): Promise<void> {
  const database = new Database(path);
  database.pragma("journal_mode = delete");
  const size = Number(database.pragma("page_size", { simple: true }));
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get();
  database.close();
  const bytes = await readFile(path);
  bytes.fill(0xff, (Number(page) - 1) * size, Number(page) * size);
  await writeFile(path, bytes);
}

/** File permissions do not hold for root. */
async function asOrdinaryUser({ folder, env }: TestProject, args: string[]) {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const program = join(import.meta.dirname, "..", "bin", "baton.js");
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
