/** One figure of the benchmark. A `limit` is what it must not exceed, `least` what it must reach. */
export type Measure = {
  name: string;
  value: number;
  unit: "ratio" | "share" | "MB" | "ms";
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
