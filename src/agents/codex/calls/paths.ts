import { fileURLToPath } from "node:url";

/** A path as the system knows it: transcripts have some as URLs. */
export function pathOf(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  if (!given.startsWith("file:")) return given;
  try {
    return fileURLToPath(given);
  } catch {
    return given;
  }
}
