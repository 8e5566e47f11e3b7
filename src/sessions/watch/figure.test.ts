import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { figureOf } from "./figure.ts";

let answers = 0;

function answer(tokens: number, more: object = {}): string {
  const usage = { input_tokens: 4, cache_read_input_tokens: tokens - 14, output_tokens: 10 };
  const message = { id: `m${++answers}`, model: "claude-sonnet-4-5", content: [], usage };
  return `${JSON.stringify({ type: "assistant", message, ...more })}\n`;
}

async function transcriptOf(...lines: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-figure-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "t.jsonl");
  await writeFile(path, lines.join(""));
  return path;
}

it("tells how full the window is, and how many turns are left", async () => {
  const transcript = await transcriptOf(answer(20_000), answer(30_000), answer(9_000, { isSidechain: true }));
  expect(figureOf({ transcript, reading: null }).figure).toEqual({
    tokens: 30_000,
    window: 200_000,
    percent: 15,
    turns: 2,
    growth: 10_000,
    turnsLeft: 17,
    model: "claude-sonnet-4-5",
    source: "transcript",
  });
});

it("reads only what is new, and a half-written line when it is whole", async () => {
  const transcript = await transcriptOf(answer(20_000));
  const first = figureOf({ transcript, reading: null });
  const line = answer(31_000);
  await appendFile(transcript, line.slice(0, 40));
  const half = figureOf({ transcript, reading: first.reading });
  expect(half.reading?.offset).toBe(first.reading?.offset);
  await appendFile(transcript, line.slice(40));
  const beyond = {
    ...first,
    reading: first.reading && { ...first.reading, context: { ...first.reading.context, turns: 500 } },
  };
  // Had it been read from its beginning, the 500 turns would be gone.
  expect(figureOf({ transcript, reading: beyond.reading }).figure).toMatchObject({
    tokens: 31_000,
    turns: 501,
  });
});

it("starts again with a transcript that was replaced or cut short", async () => {
  const transcript = await transcriptOf(answer(20_000), answer(90_000));
  const { reading } = figureOf({ transcript, reading: null });
  await writeFile(`${transcript}.new`, answer(25_000) + answer(26_000) + answer(27_000));
  await rename(`${transcript}.new`, transcript);
  const replaced = figureOf({ transcript, reading });
  expect(replaced.figure).toMatchObject({ tokens: 27_000, turns: 3 });
  await truncate(transcript, answer(25_000).length);
  expect(figureOf({ transcript, reading: replaced.reading }).figure).toMatchObject({
    tokens: 25_000,
    turns: 1,
  });
});

it("knows nothing of a session without a transcript, an answer, or a window", async () => {
  expect(figureOf({ transcript: null, reading: null })).toEqual({ figure: null, reading: null });
  expect(figureOf({ transcript: "/nowhere/t.jsonl", reading: null })).toEqual({
    figure: null,
    reading: null,
  });
  expect(figureOf({ transcript: await transcriptOf(), reading: null }).figure).toBeNull();
  const own = await transcriptOf(answer(20_000).replace("claude-sonnet-4-5", "house-model"));
  expect(figureOf({ transcript: own, reading: null }).figure).toBeNull();
  expect(figureOf({ transcript: own, reading: null }, 50_000).figure).toMatchObject({ percent: 40 });
});

it("need not read the beginning of a very long transcript", async () => {
  const transcript = await transcriptOf(answer(20_000), `${"x".repeat(33 * 1024 * 1024)}\n`, answer(40_000));
  expect(figureOf({ transcript, reading: null }).figure).toMatchObject({ tokens: 40_000, turns: 1 });
});

it("estimates results of tools that no answer has counted", async () => {
  const content = [{ type: "tool_result", tool_use_id: "t", content: "x".repeat(10_000) }];
  const result = `${JSON.stringify({ type: "user", message: { content } })}\n`;
  const transcript = await transcriptOf(answer(20_000), result);
  const { figure, reading } = figureOf({ transcript, reading: null });
  expect(figure).toMatchObject({ tokens: 20_000, percent: 10, pending: 3_700 });
  await appendFile(transcript, answer(24_000));
  expect(figureOf({ transcript, reading }).figure).not.toHaveProperty("pending");
});
