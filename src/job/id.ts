/** Crockford's base32: no letters that are taken for digits. */
const base32 = "0123456789abcdefghjkmnpqrstvwxyz";

/** One character of the id for each random byte. */
export function jobId(now: Date, random: Uint8Array): string {
  const suffix = Array.from(random, (byte) => base32.charAt(byte % 32)).join("");
  return `job-${now.toISOString().slice(0, 10)}-${suffix}`;
}

/** `9dwwek` of `job-2026-11-15-9dwwek`: enough to name a job by. An id that is not Baton's stays whole. */
export function shortId(id: string): string {
  return /^job-\d{4}-\d\d-\d\d-([a-z0-9]+)$/.exec(id)?.[1] ?? id;
}
