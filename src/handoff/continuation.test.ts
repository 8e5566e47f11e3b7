import { expect, it } from "vitest";
import { type Continuation, continuationPrompt } from "./continuation.ts";

const LOG = `Fix the shed.\n${"a line of a log\n".repeat(2_000)}Paint it green.`;

const next = (request: string, appendix?: string): Continuation => ({
  of: "job",
  number: 1,
  document: "# Handoff 1",
  documentPath: "/kept/handoff.md",
  record: { previous: null, session: null, transcript: null, appendix },
  request,
  ledger: [],
  tag: "3f9a1c",
});

it("tells a long request by its beginning, its end and its place, where it stands whole beside the document", () => {
  const text = continuationPrompt(next(LOG, "/kept/appendix.txt"));
  expect(text).toContain(
    `The beginning and the end of the user's request. All of it, ${LOG.length.toLocaleString("en")} characters, is in /kept/appendix.txt:`,
  );
  expect(text).toMatch(/>\nFix the shed\.[\s\S]*\nPaint it green\.\n</);
  expect(text.length).toBeLessThan(4_000);
});

it("tells a request word for word where it is short, or stands nowhere else", () => {
  expect(continuationPrompt(next("Fix the shed.", "/kept/appendix.txt"))).toContain("word for word:\n");
  expect(continuationPrompt(next(LOG))).toContain(LOG);
});
