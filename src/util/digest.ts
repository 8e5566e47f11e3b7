import { createHash } from "node:crypto";

/** Eight characters, of 48 bits: enough to tell apart what one job does, and too few to find out what was digested. */
export function digest(...parts: string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest("base64url").slice(0, 8);
}
