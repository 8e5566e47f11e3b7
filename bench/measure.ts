/** One figure of the benchmark. A `limit` is what it must not exceed, `least` what it must reach. */
export type Measure = {
  name: string;
  value: number;
  unit: "ratio" | "share" | "kB" | "MB" | "ms";
  limit?: number;
  least?: number;
  detail: Record<string, number | string>;
};

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Takes turns with the same work on much and on little, so that whatever else the machine does meets both alike. In milliseconds. */
export async function timesOf(
  work: { many: () => Promise<unknown>; few: () => Promise<unknown> },
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<{ manyMs: number; fewMs: number }> {
  const times = { many: Array.of<number>(), few: Array.of<number>() };
  for (let round = -warmUp; round < rounds; round++) {
    const fewMs = await timed(work.few);
    const manyMs = await timed(work.many);
    if (round < 0) continue;
    times.few.push(fewMs);
    times.many.push(manyMs);
  }
  return { manyMs: median(times.many), fewMs: median(times.few) };
}
