/** One figure of the benchmark. A `limit` is what it must not exceed. */
export type Measure = {
  name: string;
  value: number;
  unit: "ratio" | "MB" | "ms";
  limit?: number;
  detail: Record<string, number | string>;
};
