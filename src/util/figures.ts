/** `1.2k`, `45k`, `1.2M`: tokens as people read them. */
export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

export function money(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** `512 B`, `64 kB`, `1.2 GB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const figure = bytes / 1_000 ** power;
  return `${figure < 9.95 ? figure.toFixed(1).replace(/\.0$/, "") : Math.round(figure)} ${units[power - 1]}`;
}

/** `1 turn`, `12 turns`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `62%` of 100, rounded down: nothing is full, or past its threshold, before it is. */
export function percent(value: number): string {
  // Of what is a whole number by right, a division may leave a little less.
  return `${Math.max(0, Math.min(100, Math.floor(value + 1e-9)))}%`;
}

/** `40 s`, `12 min`, `3 h`, `2 days`: how old something is, rounded down. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** `0:07`, `12:40`, `3:02:10`. */
export function clock(ms: number): string {
  const all = Math.max(0, Math.floor(ms / 1_000));
  const two = (n: number) => String(n).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
