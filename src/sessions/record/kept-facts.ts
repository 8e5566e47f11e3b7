import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readBoundedText } from "../../files/bounded-file.ts";
import { replaceFile } from "../../files/replace.ts";
import type { Facts } from "../../handoff/facts.ts";
import { SESSION_LIMITS } from "./limits.ts";
import type { Registry } from "./registry.ts";

/**
 * The facts at a session's handoff. The next session's facts begin with them, also when the transcript of this one is
 * gone: agent programs delete old ones.
 */
export async function keepFacts(registry: Registry, session: string, facts: Facts): Promise<void> {
  const path = registry.beside("facts", session);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(facts), 0o600);
}

export async function keptFacts(registry: Registry, session: string): Promise<Facts | undefined> {
  try {
    return JSON.parse(readBoundedText(registry.beside("facts", session), SESSION_LIMITS.factsBytes));
  } catch {
    return undefined;
  }
}
