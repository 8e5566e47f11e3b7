import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { git, isThere, temporaryFolder } from "../../../test/job-worktree.ts";
import { configIn, only, PROMPT, typesOf } from "../../../test/played-job.ts";
import { worktreeRepository } from "../../../test/worktree-repository.ts";
import { noFacts } from "../../handoff/facts.ts";
import type { JobEvent, JournalEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { thisProcess } from "../../processes/owner.ts";
import { redactor } from "../../secrets/redact.ts";
import { claimJob } from "../../store/claims.ts";
import { findJob } from "../../store/jobs.ts";
import { openStore } from "../../store/store.ts";
import type { Outcome, Teardown, Workspace, WorkspaceStrategy } from "../../workspace/workspace.ts";
import type { JobEnd } from "../hooks/hook-news.ts";
import { JobHooks } from "../hooks/job-hooks.ts";
import { Journal } from "../journal.ts";
import { newJob } from "../new-job.ts";
import { workspaceJob } from "../run/workspaces.ts";
import { closeJob, finishClosing } from "./closing.ts";

const SECRET = "correct-horse-battery";
const inPlace: Workspace = { strategy: "static", path: "/project" };
const inWorktree: Workspace = {
  strategy: "git_worktree",
  path: "/project/.worktrees/x",
  branch: "agent/x",
  base: "b",
  worktree: { repo: "/project", baseBranch: "main", ports: [] },
};
const worktreeMade: JobEvent = {
  type: "workspace:creating",
  repo: "/project",
  path: "/project/.worktrees/x",
  branch: "agent/x",
  base: "b",
  baseBranch: "main",
  takenUp: false,
};
const worktreeReady: JobEvent = {
  type: "workspace:ready",
  strategy: "git_worktree",
  path: "/project/.worktrees/x",
};
const done = { kind: "completed", text: "All is done." } as const;

interface Setting {
  /** Hooks wait for the end of the job. */
  hooked?: boolean;
  teardown?: (outcome: Outcome, onDisk: Job) => Promise<Teardown>;
}

/** A claimed job whose workspace is torn down as given. */
async function endingJob({ hooked = false, teardown = async () => ({}) }: Setting = {}) {
  const folder = await temporaryFolder();
  const store = await openStore(join(folder, "baton.db"));
  const config = configIn(folder);
  const id = await newJob(store, {}, config, PROMPT);
  const now = () => new Date();
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  onTestFinished(async () => {
    await journal.close();
    await store.close();
  });
  await journal.record({ type: "job:started", pid: 1, marker: "m" });
  const events: JournalEvent[] = [];
  journal.subscribe((event) => events.push(event));
  const heard: { end: JobEnd; after: string | undefined }[] = [];
  class HeardHooks extends JobHooks {
    override get atEnd() {
      return hooked;
    }
    override async ended(end: JobEnd) {
      heard.push({ end, after: events.at(-1)?.type });
    }
  }
  const hooks = new HeardHooks({
    config,
    redact: (value) => value,
    env: {},
    store: store.path,
    job: () => journal.job,
    append: (event) => journal.append(event),
    now,
  });
  const outcomes: Outcome[] = [];
  const strategy: WorkspaceStrategy = {
    setup: async () => inPlace,
    async teardown(_work, _workspace, outcome) {
      outcomes.push(outcome);
      return teardown(outcome, await findJob(store, id));
    },
  };
  const redact = redactor({ API_TOKEN: SECRET });
  const { signal } = new AbortController();
  const work = workspaceJob(journal, { env: {}, signal, redact, now });
  const parts = { journal, redact, strategy, hooks, work };
  return {
    ...parts,
    store,
    id,
    events,
    heard,
    outcomes,
    close: (workspace: Workspace, outcome: Pick<Outcome, "kind" | "text">) =>
      closeJob({ ...parts, workspace, outcome }),
    finish: () => finishClosing(parts),
  };
}

describe("a job whose work is over", () => {
  it("has completed, in one step where there is nothing to close", async () => {
    const { close, events, journal, heard } = await endingJob();
    await close(inPlace, done);
    expect(typesOf(events)).toEqual(["job:completed"]);
    expect(journal.job).toMatchObject({ status: "completed", result: "All is done." });
    expect(heard).toMatchObject([{ end: { event: "completed", text: "All is done." } }]);
  });

  it.each([
    ["failed", { type: "job:failed", error: "Why." }],
    ["cancelled", { type: "job:cancelled", message: "Why." }],
  ] as const)("has %s, with the reason", async (kind, lastWord) => {
    const { close, events } = await endingJob();
    await close(inPlace, { kind, text: "Why." });
    expect(events).toMatchObject([lastWord]);
  });

  it("has its outcome on disk before its worktree is touched, and has completed only after that", async () => {
    const seen: unknown[] = [];
    const { close, events } = await endingJob({
      teardown: async (_, { status, closing }) => {
        seen.push({ status, closing });
        return {};
      },
    });
    await close(inWorktree, done);
    expect(seen).toEqual([{ status: "running", closing: { outcome: "completed", text: "All is done." } }]);
    expect(typesOf(events)).toEqual(["job:closing", "job:completed"]);
  });

  it("is heard of by the user's hooks before its last word, so that a kill makes them hear of it again", async () => {
    const { close, events, heard } = await endingJob({ hooked: true });
    await close(inPlace, { kind: "failed", text: `It knew ${SECRET}.` });
    expect(heard).toEqual([
      { end: { event: "failed", text: "It knew [redacted: API_TOKEN]." }, after: "job:closing" },
    ]);
    expect(typesOf(events)).toEqual(["job:closing", "job:failed"]);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });

  it("tells its workspace what the agent ran, where that is published", async () => {
    const { close, journal, outcomes } = await endingJob();
    const facts = { ...noFacts(PROMPT), commands: [{ command: "git add -A", ok: true, runs: 1 }] };
    journal.append({ type: "facts:collected", handoffNumber: 1, facts });
    for (const [id, name, does, summary] of [
      ["a", "Shell", "command", "git rm old"],
      ["b", "Shell", "read", "notes.txt"],
    ] as const) {
      journal.append({ type: "tool:start", session: "s", id, name, does, summary });
    }
    await close(inWorktree, done);
    await close(inWorktree, { kind: "cancelled", text: "Enough." });
    expect(outcomes.map(({ commands }) => commands)).toEqual([["git add -A", "git rm old"], []]);
  });

  it("knows what the agent ran from the journal of an earlier version, which names its tools alone", async () => {
    const { close, journal, outcomes } = await endingJob();
    const call = { type: "tool:start", session: "s" } as const;
    journal.append({ ...call, id: "a", name: "Bash", summary: "git rm old" });
    journal.append({ ...call, id: "b", name: "Read", summary: "notes.txt" });
    await close(inWorktree, done);
    expect(outcomes.map(({ commands }) => commands)).toEqual([["git rm old"]]);
  });
});

describe("a worktree that cannot be closed", () => {
  it("fails a job that had completed, for the reason that its workspace gives", async () => {
    const { close, journal, heard } = await endingJob({ teardown: async () => ({ failure: "not pushed" }) });
    await close(inWorktree, done);
    expect(journal.job).toMatchObject({
      status: "failed",
      error: "not pushed",
      closing: { outcome: "completed" },
    });
    expect(heard).toMatchObject([{ end: { event: "failed", text: "not pushed" } }]);
  });

  it("by an error is kept, and fails a job that had completed", async () => {
    const { close, events } = await endingJob({ teardown: () => Promise.reject(new Error("disk full")) });
    await close(inWorktree, done);
    expect(events).toMatchObject([
      { type: "job:closing" },
      { type: "workspace:kept", reason: "disk full" },
      { type: "job:failed", error: "disk full" },
    ]);
  });

  it("because a disk is full leaves a job that had completed to be closed when there is room", async () => {
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC", path: "/project/.git/index.lock" });
    const { close, events, journal } = await endingJob({ teardown: () => Promise.reject(full) });
    await expect(close(inWorktree, done)).rejects.toMatchObject({
      name: "NoRoomError",
      message: expect.stringMatching(/^\/project\/\.git cannot be written: its disk is full/),
    });
    expect(typesOf(events)).toEqual(["job:closing"]);
    expect(journal.job.closing).toEqual({ outcome: "completed", text: "All is done." });
  });

  it("by an error leaves a cancelled job cancelled", async () => {
    const { close, events } = await endingJob({ teardown: () => Promise.reject(new Error("disk full")) });
    await close(inWorktree, { kind: "cancelled", text: "Enough." });
    expect(events).toMatchObject([
      { type: "job:closing", outcome: "cancelled" },
      { type: "workspace:kept", reason: "disk full" },
      { type: "job:cancelled", message: "Enough." },
    ]);
  });

  it("because another process took the job over is left to that one", async () => {
    const { close, store, id, journal, heard } = await endingJob({
      teardown: async () => {
        await store.db.updateTable("jobs").set({ attempt: 7 }).where("id", "=", id).execute();
        await journal.record({ type: "warning", message: "late" });
        return {};
      },
    });
    await expect(close(inWorktree, done)).rejects.toMatchObject({ name: "FencedError" });
    expect(heard).toEqual([]);
    expect(await findJob(store, id)).toMatchObject({ status: "running", closing: { outcome: "completed" } });
  });
});

describe("a closing that was cut off", () => {
  const closing: JobEvent = { type: "job:closing", outcome: "completed", text: "All is done." };

  it("is nothing to finish where there was none", async () => {
    const { finish, events, outcomes } = await endingJob();
    await finish();
    expect(events).toEqual([]);
    expect(outcomes).toEqual([]);
  });

  it("of a job in a plain folder ends the job", async () => {
    const { finish, journal } = await endingJob();
    await journal.record(closing);
    await finish();
    expect(journal.job).toMatchObject({ status: "completed", result: "All is done." });
  });

  it("before its worktree went closes that again, as it was to be", async () => {
    const { finish, journal, outcomes } = await endingJob();
    for (const event of [worktreeMade, worktreeReady, closing]) await journal.record(event);
    await finish();
    expect(outcomes).toMatchObject([done]);
    expect(journal.job.status).toBe("completed");
  });

  it("after its worktree went does not touch that any more", async () => {
    const { finish, journal, outcomes, heard } = await endingJob();
    const removed: JobEvent = { type: "workspace:removed", branchKept: false };
    for (const event of [worktreeMade, worktreeReady, closing, removed]) await journal.record(event);
    await finish();
    expect(outcomes).toEqual([]);
    expect(heard).toMatchObject([{ end: { event: "completed" } }]);
    expect(journal.job.status).toBe("completed");
  });
});

describe("a real worktree", () => {
  async function inRepository(workspace = "") {
    const { repo, remoteFolder, jobOn } = await worktreeRepository(workspace);
    return { repo, remoteFolder, job: await jobOn("ONE") };
  }

  it("is committed, pushed and removed before its job has completed", async () => {
    const { job, remoteFolder } = await inRepository();
    const ended = await job.end("completed");
    expect(
      typesOf(job.events)
        .filter((type) => type !== "checkpoint" && type !== "warning")
        .slice(-7),
    ).toEqual([
      "job:closing",
      "workspace:committed",
      "workspace:pushing",
      "workspace:pushed",
      "workspace:removing",
      "workspace:removed",
      "job:completed",
    ]);
    expect(await git(remoteFolder, "show", `${ended.workspace?.branch}:work.txt`)).toBe("done");
    expect(await isThere(job.workspace.path)).toBe(false);
  });

  it("stays where its work could not be pushed, and its job has failed", async () => {
    const { job, remoteFolder } = await inRepository("on_push_failure: fail");
    await rm(remoteFolder, { recursive: true });
    const ended = await job.end("completed");
    expect(ended).toMatchObject({ status: "failed", error: expect.stringMatching(/could not be pushed/) });
    expect(
      only(job.events, "workspace:kept", "workspace:removing", "job:failed").map(({ type }) => type),
    ).toEqual(["workspace:kept", "job:failed"]);
    expect(await git(job.workspace.path, "show", "HEAD:work.txt")).toBe("done");
  });
});
