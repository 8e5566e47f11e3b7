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
