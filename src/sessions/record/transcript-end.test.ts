import { appendFile, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { newSession } from "./session.ts";
import { hasSpokenSince, lastWordsWritten } from "./transcript-end.ts";

async function transcriptIn(text: string): Promise<{ folder: string; transcript: string }> {
  const folder = await mkdtemp(join(tmpdir(), "baton-transcript-end-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const transcript = join(folder, "one.jsonl");
  await writeFile(transcript, text);
  return { folder, transcript };
}

describe("a person after a handoff", () => {
  const WRITTEN = new Date("2026-01-01T10:00:00.000Z");

  async function spoken(...entries: object[]): Promise<boolean> {
    const { folder, transcript } = await transcriptIn(
      entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
    );
    const documentPath = join(folder, "one.md");
    await writeFile(documentPath, "A document.");
    await utimes(documentPath, WRITTEN, WRITTEN);
    const handoff = aHandoff("stored", { documentPath });
    return hasSpokenSince(
      newSession({ id: "one", cwd: folder, project: folder, startedAt: "", transcript, handoff }),
    );
  }

  const said = (second: number, content: string, more: object = {}) => ({
    type: "user",
    message: { role: "user", content },
    timestamp: new Date(WRITTEN.getTime() + second * 1_000).toISOString(),
    ...more,
  });

  it("is heard who says something after the document was written, and not before", async () => {
    expect(await spoken(said(-5, "Write it."))).toBe(false);
    expect(await spoken(said(-5, "Write it."), said(5, "First this."))).toBe(true);
    const { timestamp } = said(5, "");
    const queued = { type: "queue-operation", operation: "enqueue", timestamp };
    expect(await spoken({ ...queued, content: "First this." })).toBe(true);
    expect(await spoken({ ...queued, content: "/clear" })).toBe(false);
  });

  it("is not what the program, the agent or Baton says", async () => {
    const results = { message: { content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] } };
    expect(await spoken(said(5, "", results))).toBe(false);
    expect(await spoken(said(5, "Stop hook feedback", { isMeta: true }))).toBe(false);
    expect(await spoken(said(5, "<handoff-request> Once more. </handoff-request>"))).toBe(false);
    expect(await spoken({ ...said(5, "Done."), type: "assistant" })).toBe(false);
  });
});

describe("the agent's last words", () => {
  it("are waited for until they are in the transcript, whatever it said before", async () => {
    const line = `${JSON.stringify({ text: 'It is "done".\nReally.' })}\n`;
    const { transcript } = await transcriptIn(line);
    let arrived = false;
    const waiting = lastWordsWritten(transcript, line.length, 'It is "done".\nReally.').then(() => arrived);
    await lastWordsWritten(transcript, 0, 'It is "done".');
    arrived = true;
    await appendFile(transcript, line);
    expect(await waiting).toBe(true);
  });

  it("are not waited for for ever", async () => {
    const { transcript } = await transcriptIn("");
    await lastWordsWritten(transcript, 0, "never written");
    await lastWordsWritten("/nowhere/t.jsonl", 0, "never written");
  });
});
