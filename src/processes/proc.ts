import { readdirSync } from "node:fs";

/** The processes that Linux tells of in /proc, by their numbers. */
export function processNumbers(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}
