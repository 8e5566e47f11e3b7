import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configIn } from "../../../test/played-job.ts";
import { relayedJob } from "../../../test/played-relay.ts";
import { PlayedAgent } from "../../../test/played-session.ts";
import { parseDocument } from "../../handoff/document.ts";
import type { JobEvent } from "../../job/events.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { Journal } from "../journal.ts";
import { handOffIdle } from "./idle-handoff.ts";

const now = () => new Date();
const session = "old";
const begun: JobEvent[] = [
  { type: "job:started", pid: 1, marker: "an earlier owner" },
  { type: "session:starting", session, ordinal: 1, mode: "fresh" },
  { type: "message:sent", session, kind: "request", text: "Write the files." },
];
const answered: JobEvent = {
  type: "response",
  session,
  model: "claude-sonnet-4-5",
  usage: { input: 120_000, output: 0, cacheRead: 0, cacheWrite: 0 },
  context: { tokens: 120_000, window: 200_000, percent: 60 },
};
const ran: JobEvent[] = [
  { type: "tool:start", session, id: "t1", name: "Bash", does: "command", summary: "make install" },
  { type: "tool:end", session, id: "t1", ok: true, output: "installed" },
];
const failed: JobEvent = { type: "job:failed", error: "API Error: 401" };

/** What comes of a handoff of a job with this life behind it, whose transcript has these lines. */
async function handedOff(events: (folder: string) => JobEvent[], transcript?: string) {
  const { id, folder, store, lived } = await relayedJob();
  await lived(...events(folder));
  const agent = new PlayedAgent();
  if (transcript !== undefined) {
    agent.transcripts.set(session, join(folder, "old.jsonl"));
    await writeFile(join(folder, "old.jsonl"), transcript);
  }
  await using journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  const livingDocument = {
    path: "HANDOFF.md",
    templatePath: "template.md",
    archiveDir: "archive",
    sizeThreshold: 1_000,
    autoCommit: false,
    commitHooks: false,
  };
  const config = configIn(folder, { handoff: { livingDocument } });
  const { signal } = new AbortController();
  const made = await handOffIdle({ journal, config, agent, env: {}, signal, now });
  const again = await handOffIdle({ journal, config, agent, env: {}, signal, now });
  return { made, again, agent, folder, job: journal.job };
}

it("a failed job is handed off from what its journal knows, starts nothing, and stays failed", async () => {
  const { made, again, agent, job, folder } = await handedOff(() => [...begun, answered, ...ran, failed]);
  expect(made).toMatchObject({
    number: 1,
    trigger: "manual",
    source: "facts",
    reason: "the session does not run any more",
    toSession: null,
  });
  expect(again).toEqual(made);
  expect(agent.sessions).toEqual([]);
  expect(job).toMatchObject({ status: "failed", error: "API Error: 401", pendingHandoff: null });
  expect(await readFile(made?.documentPath ?? "", "utf8")).toContain("`make install` (ok)");
  expect(existsSync(join(folder, "HANDOFF.md"))).toBe(true);
});

it("a job whose worktree went is handed off without it, with its last checkpoint, and nothing is made there", async () => {
  const ref = "refs/baton/job/1";
  const { made, folder } = await handedOff((top) => [
    ...begun.slice(0, 1),
    { type: "workspace:ready", strategy: "git_worktree", path: join(top, "gone") },
    ...begun.slice(1),
    answered,
    { type: "checkpoint", ref, commit: "c", reason: "before its worktree went" },
    failed,
  ]);
  const { head } = parseDocument(await readFile(made?.documentPath ?? "", "utf8"));
  expect(head).toMatchObject({ checkpoint: ref, reason: "manual" });
  expect(existsSync(join(folder, "gone"))).toBe(false);
});

it("a job in which nothing was done has nothing to hand off", async () => {
  expect((await handedOff(() => [...begun, failed])).made).toBeUndefined();
  expect((await handedOff(() => [failed])).made).toBeUndefined();
});
