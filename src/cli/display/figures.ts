/** `1.2k`, `45k`, `1.2M`: tokens as people read them. */
export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 10_000) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(count % 1_000_000 === 0 ? 0 : 1)}M`;
}

export function money(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** `0:07`, `12:40`, `3:02:10`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (n: number) => String(n).padStart(2, "0");
  const minutes = `${Math.floor(seconds / 60) % 60}`;
  const hours = Math.floor(seconds / 3_600);
  return hours > 0
    ? `${hours}:${two(Number(minutes))}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
