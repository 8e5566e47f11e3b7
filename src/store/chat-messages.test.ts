import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { JobEvent } from "../job/events.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { isAnswerOwed, saidInChats } from "./chat-messages.ts";
import { claimJob } from "./claims.ts";
import { createJob } from "./jobs.ts";
import { openStore } from "./store.ts";

it("remembers what people said in chats, newest last, and nothing of what Baton said or of other jobs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-said-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await using store = await openStore(join(folder, "baton.db"));
  const session = "a";
  let at = 0;
  const job = async (id: string, events: JobEvent[]) => {
    await createJob(
      store,
      id,
      { type: "job:created", agent: "coder", prompt: "", agentConfig: {} },
      new Date(),
    );
    const claim = await claimJob(store, id, thisProcess(), new Date());
    await using journal = new Journal(store, claim, () => new Date(at++));
    for (const event of events) journal.append(event);
  };
  const sent = (kind: "request" | "said" | "continuation", text: string): JobEvent => ({
    type: "message:sent",
    session,
    kind,
    text,
  });
  const awaited: JobEvent = { type: "person:awaited", session };
  await job("job-1", [sent("request", "first"), awaited, sent("said", "second")]);
  await job("job-2", [sent("request", "in no chat")]);
  const passedOn = Array.from({ length: 600 }, () => sent("continuation", "by Baton"));
  await job("job-3", [sent("request", "third"), awaited, ...passedOn, sent("said", "fourth")]);

  expect(await saidInChats(store, 10)).toEqual(["first", "second", "third", "fourth"]);
  expect(await saidInChats(store, 3)).toEqual(["second", "third", "fourth"]);
  await job("job-4", [sent("request", "fifth"), awaited, sent("continuation", "by Baton")]);
  expect(await Promise.all(["job-1", "job-2", "job-4"].map((id) => isAnswerOwed(store, id)))).toEqual([
    true,
    true,
    false,
  ]);
});
