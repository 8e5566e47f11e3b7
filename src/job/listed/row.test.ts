import fc from "fast-check";
import { expect, it } from "vitest";
import { framed, newTag } from "../../util/frame.ts";
import { emptyJob, type Job } from "../job.ts";
import { headline } from "../status-words.ts";
import { jobRow } from "./row.ts";

const AT = "2026-01-01T00:00:00.000Z";
const text = fc.string({ unit: "binary", maxLength: 400 });
const number = fc.nat({ max: 1_000_000_000 });

/** Everything that a row can show, as long as it comes. */
const anyJob: fc.Arbitrary<Job> = fc
  .record({
    text,
    name: text,
    place: text,
    summary: text,
    error: text,
    number,
    cost: fc.double({ min: 0, max: 1e6, noNaN: true }),
  })
  .map(({ text: prompt, name, place, summary, error, number, cost }) => ({
    ...emptyJob("job-2026-01-01-abc123"),
    ...{ agent: name, prompt, epic: name, error, status: "running" as const },
    ...{
      seq: number,
      attempt: number,
      turns: number,
      costUsd: cost,
      updatedAt: AT,
      createdAt: AT,
      finishedAt: AT,
    },
    runsOn: { agent: place, reason: "usage_limit" as const },
    schedule: name,
    sessions: [{ model: name } as Job["sessions"][number]],
    chosen: { maxCostUsd: cost },
    context: { tokens: number, window: number, percent: 1 },
    pace: { turns: 1, growth: 1 } as NonNullable<Job["pace"]>,
    tools: [{ id: "t", name, summary, startedAt: AT }],
    workspace: { branch: place, proposal: place } as Job["workspace"],
    denied: [{ tool: name, summary, times: 1, message: error }],
  }));

it("takes a kilobyte at most, whatever is in the job", () => {
  fc.assert(
    fc.property(anyJob, (job) => {
      expect(Buffer.byteLength(JSON.stringify(jobRow(job)))).toBeLessThanOrEqual(960);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["characters of four bytes", "😀".repeat(500)],
  ["halves of characters", "\ud83d".repeat(500)],
  ["quotes", '"\\'.repeat(500)],
  ["one long line", "x".repeat(100_000)],
])("fits with %s everywhere", (_, everywhere) => {
  const [job] = fc.sample(anyJob, 1);
  if (!job) throw new Error("no job");
  const row = jobRow({
    ...job,
    ...{ agent: everywhere, prompt: everywhere, epic: everywhere, error: everywhere, schedule: everywhere },
    runsOn: { agent: `${everywhere}.`, reason: "usage_limit" as const },
    sessions: [{ model: everywhere } as Job["sessions"][number]],
    tools: [{ id: "t", name: everywhere, summary: everywhere, startedAt: AT }],
    workspace: { branch: everywhere, proposal: everywhere } as Job["workspace"],
  });
  const json = JSON.stringify(row);
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(960);
  expect(JSON.parse(json)).toEqual(row);
});

it("shows what there is of a short one whole", () => {
  const job = {
    ...emptyJob("job-1"),
    agent: "coder",
    prompt: "Fix the tests.\nAll of them.",
    createdAt: AT,
    updatedAt: AT,
  };
  expect(jobRow(job)).toMatchObject({
    id: "job-1",
    agent: "coder",
    title: "Fix the tests.",
    source: { kind: "person" },
  });
  // Of many that are asked the same, each is told by its item.
  const item = { id: "17", source: "github:acme/app" };
  const titleOf = (workItem: Job["workItem"]) => jobRow({ ...job, workItem }).title;
  expect(titleOf({ ...item, title: "Fix the login\nnow" })).toBe("17: Fix the login");
  expect([titleOf(item), titleOf({ id: "17", title: "Fix the login" })]).toEqual([
    "Fix the tests.",
    "Fix the tests.",
  ]);
});

it("is called by its own words, not by what was put beside them to work from", () => {
  const beside = framed({
    kind: "thread",
    source: "what was written here before",
    text: "Hello.",
    tag: newTag(),
  });
  expect(headline({ prompt: `Ada: fix the build\nand the docs\n\n${beside}` })).toBe(
    "Ada: fix the build\nand the docs",
  );
  expect(headline({ prompt: beside })).toBe(beside);
});
