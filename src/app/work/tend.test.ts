import { expect, it } from "vitest";
import type { Job } from "../../job/job.ts";
import { ClaimLostError, ClaimUnconfirmedError } from "../../sources/claims/errors.ts";
import { markOf } from "./report.ts";
import { type HeldRow, tendItems } from "./tend.ts";

it("leaves an end that may not have arrived to whoever looks for those, and takes it for no loss", async () => {
  const job = {
    id: "job-1",
    agent: "coder",
    status: "failed",
    error: "no luck",
    handoffs: [],
  } as unknown as Job;
  const line = { config: { attempts: 3, cleanupOnFailure: true }, feed: { source: {}, hurry: () => {} } };
  const mark = markOf(job, { attempts: 1, most: 3, again: true });
  const row = {
    ...{ source: "github:acme/app", item: "17", agent: "coder", job: job.id, attempts: 0 },
    ...{ seen: { item: { id: "17" }, words: "" }, marked: JSON.stringify(mark) },
  };
  const kept = new Map<string, object>();
  let ends = 0;
  kept.set(job.id, {
    confirm: async () => {
      throw new ClaimLostError("17", "github:acme/app", "it was given up here before");
    },
    end: async () => {
      ends++;
      throw new ClaimUnconfirmedError("17", "github:acme/app", "refs", "the line is broken");
    },
  });
  const problems: unknown[] = [];
  const tending = {
    lines: { lineOf: () => line },
    claims: { known: async (id: string) => kept.get(id), drop: (id: string) => void kept.delete(id) },
    problem: (_: string, error: unknown) => void problems.push(error),
    ...{ solved: () => {}, say: () => {}, ended: () => {} },
  } as unknown as Parameters<typeof tendItems>[2];
  const held = [{ row, job }] as unknown as HeldRow[];
  await expect(tendItems(held, new Date(), tending)).rejects.toThrow("the line is broken");
  // The row has counted the attempt by now.
  row.attempts = 1;
  await tendItems(held, new Date(), tending);
  expect(ends).toBe(1);
  expect(problems).toEqual([expect.any(ClaimUnconfirmedError)]);
});
