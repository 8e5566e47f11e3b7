import { appendFile, mkdir, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentEvent } from "../../events.ts";
import { TranscriptReader, TranscriptUnreadableError } from "./reader.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-transcript-"));
  path = join(folder, "session.jsonl");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function createLine(text: string): string {
  return `${JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text }] } })}\n`;
}

function textEvents(...texts: string[]): AgentEvent[] {
  return texts.map((text) => ({ type: "text", text }));
}

async function readAll(reader: TranscriptReader): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of reader.read()) events.push(event);
  return events;
}

describe("following a transcript", () => {
  it("gives nothing while there is no file, and everything once there is", async () => {
    const reader = new TranscriptReader(path);
    expect(await readAll(reader)).toEqual([]);
    await writeFile(path, createLine("one") + createLine("two"));
    expect(await readAll(reader)).toEqual(textEvents("one", "two"));
  });

  it("gives only what is new", async () => {
    await writeFile(path, createLine("one"));
    const reader = new TranscriptReader(path);
    await readAll(reader);
    expect(await readAll(reader)).toEqual([]);
    await appendFile(path, createLine("two"));
    expect(await readAll(reader)).toEqual(textEvents("two"));
  });

  it("waits for the end of a line that is half written", async () => {
    const line = createLine("half");
    await writeFile(path, line.slice(0, 40));
    const reader = new TranscriptReader(path);
    expect(await readAll(reader)).toEqual([]);
    await appendFile(path, line.slice(40, -1));
    expect(await readAll(reader)).toEqual([]);
    await appendFile(path, "\n");
    expect(await readAll(reader)).toEqual(textEvents("half"));
  });

  it("skips broken lines and goes on", async () => {
    await writeFile(path, `${createLine("one")}{"message": oops\n\n\u0000\u0000\n${createLine("two")}`);
    expect(await readAll(new TranscriptReader(path))).toEqual(textEvents("one", "two"));
  });

  it("continues with the next line when its reader stopped early", async () => {
    await writeFile(path, createLine("one") + createLine("two") + createLine("three"));
    const reader = new TranscriptReader(path);
    for await (const event of reader.read()) {
      expect(event).toEqual({ type: "text", text: "one" });
      break;
    }
    expect(await readAll(reader)).toEqual(textEvents("two", "three"));
  });

  it("reads lines that are longer than what it reads at once", async () => {
    const long = "🏃".repeat(800_000);
    await writeFile(path, createLine("one") + createLine(long) + createLine("two"));
    expect(await readAll(new TranscriptReader(path))).toEqual(textEvents("one", long, "two"));
  });

  it("starts again when the file was cut short", async () => {
    await writeFile(path, createLine("one") + createLine("two"));
    const reader = new TranscriptReader(path);
    await readAll(reader);
    await truncate(path, 0);
    await appendFile(path, createLine("new"));
    expect(await readAll(reader)).toEqual(textEvents("new"));
  });

  it("starts again when another file took its place, and forgets the half line", async () => {
    await writeFile(path, `${createLine("one")}{"type":"assi`);
    const reader = new TranscriptReader(path);
    await readAll(reader);
    const replacement = join(folder, "replacement.jsonl");
    await writeFile(replacement, createLine("new one") + createLine("new two"));
    await rename(replacement, path);
    expect(await readAll(reader)).toEqual(textEvents("new one", "new two"));
  });

  it("says which file it cannot read", async () => {
    await mkdir(path);
    const reading = readAll(new TranscriptReader(path));
    await expect(reading).rejects.toThrow(TranscriptUnreadableError);
    await expect(reading).rejects.toThrow(path);
  });

  it("gives the same events however the file grew, also when characters are cut in two", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 8 });
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (written, places) => {
        const file = join(folder, `${run++}.jsonl`);
        const bytes = Buffer.from(written.map(createLine).join(""));
        const reader = new TranscriptReader(file);
        const events: AgentEvent[] = [];
        let start = 0;
        for (const end of [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        )) {
          await appendFile(file, bytes.subarray(start, end));
          events.push(...(await readAll(reader)));
          start = end;
        }
        expect(events).toEqual(textEvents(...written));
      }),
    );
  });
});
