import { expect, it, onTestFinished, vi } from "vitest";
import { gathered } from "./gathered.ts";

it("works once a second for what wants it ten times a second, and at once where it cannot wait", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const began: number[] = [];
  const start = Date.now();
  const { soon, now } = gathered(async () => void began.push(Date.now() - start));
  for (let turn = 0; turn < 30; turn++) {
    soon(1_000);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(began).toEqual([1_000, 2_000, 3_000]);
  soon(1_000);
  now();
  expect(began).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(began).toHaveLength(4);
});

it("works again for what came while it was at work, however often that was", async () => {
  const ends: (() => void)[] = [];
  const { now } = gathered(() => new Promise((resolve) => ends.push(resolve)));
  now();
  now();
  now();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.waitFor(() => expect(ends).toHaveLength(2));
  ends[1]?.();
  await Promise.resolve();
  now();
  await vi.waitFor(() => expect(ends).toHaveLength(3));
});
