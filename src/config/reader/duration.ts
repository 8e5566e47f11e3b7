const MILLISECONDS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** `500ms`, `30s`, `5m`, `1.5h`, `7d` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/.exec(text.trim()) ?? [];
  const factor = MILLISECONDS.get(unit ?? "");
  return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

/** The same the other way round, in the largest unit that there is at least one of. */
export function durationText(ms: number): string {
  const [unit, factor] = [...MILLISECONDS].findLast(([, size]) => ms >= size) ?? ["ms", 1];
  return `${Math.floor(ms / factor)}${unit}`;
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** A length of time as people say it, in its two largest units: `1 h 20 min`. */
export function inWords(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const first = UNITS.findIndex(([size]) => ms >= size);
  const parts: string[] = [];
  let rest = ms;
  for (const [size, unit] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(" ");
}
