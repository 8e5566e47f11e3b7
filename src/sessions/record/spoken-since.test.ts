import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { newSession } from "./session.ts";
import { hasSpokenSince } from "./spoken-since.ts";

const WRITTEN = new Date("2026-01-01T10:00:00.000Z");

async function spoken(...entries: object[]): Promise<boolean> {
  const home = await mkdtemp(join(tmpdir(), "baton-spoken-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const documentPath = join(home, "one.md");
  await writeFile(documentPath, "A document.");
  await utimes(documentPath, WRITTEN, WRITTEN);
  const transcript = join(home, "one.jsonl");
  await writeFile(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const handoff = aHandoff("stored", { documentPath });
  return hasSpokenSince(
    newSession({ id: "one", cwd: home, project: home, startedAt: "", transcript, handoff }),
  );
}

const said = (second: number, content: string, more: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  timestamp: new Date(WRITTEN.getTime() + second * 1_000).toISOString(),
  ...more,
});

it("sees what a person says after a document was written, and not what they said before", async () => {
  expect(await spoken(said(-5, "Write it."))).toBe(false);
  expect(await spoken(said(-5, "Write it."), said(5, "First this."))).toBe(true);
});

it("does not take for a person what the program, the agent or Baton says", async () => {
  const results = { message: { content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] } };
  expect(await spoken(said(5, "", results))).toBe(false);
  expect(await spoken(said(5, "Stop hook feedback", { isMeta: true }))).toBe(false);
  expect(await spoken(said(5, "<handoff-request> Once more. </handoff-request>"))).toBe(false);
  expect(await spoken({ ...said(5, "Done."), type: "assistant" })).toBe(false);
});
