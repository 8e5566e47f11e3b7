import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lastWordsWritten } from "./last-words.ts";

async function transcriptOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-words-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "t.jsonl");
  await writeFile(path, text);
  return path;
}

it("waits until what the agent said last is in the transcript, whatever it said before", async () => {
  const line = `${JSON.stringify({ text: 'It is "done".\nReally.' })}\n`;
  const path = await transcriptOf(line);
  let arrived = false;
  const waiting = lastWordsWritten(path, line.length, 'It is "done".\nReally.').then(() => arrived);
  await lastWordsWritten(path, 0, 'It is "done".');
  arrived = true;
  await appendFile(path, line);
  expect(await waiting).toBe(true);
});

it("does not wait for ever", async () => {
  await lastWordsWritten(await transcriptOf(""), 0, "never written");
  await lastWordsWritten("/nowhere/t.jsonl", 0, "never written");
});
