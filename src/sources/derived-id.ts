import { createHash } from "node:crypto";

/**
 * In the form of a UUID of version 4, which is what Linear takes. The same for all who make it from the same parts, so that of
 * several who write with it one does.
 */
export function derivedId(...parts: string[]): string {
  const hex = createHash("sha256").update(parts.join("\n")).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
