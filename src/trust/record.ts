import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeLock } from "../files/holder-lock.ts";
import { replaceFile } from "../files/replace.ts";
import { stateFolder } from "../files/state-folder.ts";
import { codeOf, messageOf } from "../util/errors.ts";
import { fromJson, isFields } from "../util/json.ts";

/** Something in a file that acts: a key of a configuration, or, by the name "", all of the file. */
export interface TrustedPart {
  /** Of exactly what the user agreed to. */
  digest: string;
  /** As it was shown to the user, to show what changed since. Never a secret. */
  shown: string;
}

export interface TrustedPlace {
  at: string;
  parts: Record<string, TrustedPart>;
}

/** What this user agreed to on this machine, by place: see `placeOfFile`. */
export type Trusted = Readonly<Record<string, TrustedPlace>>;

/** The record cannot be read. In doubt nothing is trusted, and nothing is overwritten. */
class TrustRecordError extends Error {
  override name = "TrustRecordError";
}

export function digestOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

export function readTrusted(folder = stateFolder()): Trusted {
  const path = recordPath(folder);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw new TrustRecordError(
      `${path}, which says what you trust, cannot be read: ${messageOf(error)}. Make it readable, or delete it and trust your projects again with \`baton trust\`.`,
    );
  }
  const read = fromJson(text);
  // What the first form of this record kept were digests of single commands: they vouch for no file.
  if (isFields(read) && read.version === 1) return {};
  if (isFields(read) && read.version === 2 && isFields(read.places)) {
    return Object.fromEntries(
      Object.entries(read.places).flatMap(([place, value]) => {
        const trusted = trustedPlace(value);
        return trusted ? [[place, trusted]] : [];
      }),
    );
  }
  throw new TrustRecordError(
    `${path} should say what you trust, and is not JSON that Baton wrote. Correct it, or delete it and trust your projects again with \`baton trust\`.`,
  );
}

/** What cannot be read vouches for nothing. Whoever only looks need not hear of it: whoever starts something does, at the gate. */
export function trustedOrNothing(): Trusted {
  try {
    return readTrusted();
  } catch (error) {
    if (error instanceof TrustRecordError) return {};
    throw error;
  }
}

function trustedPlace(value: unknown): TrustedPlace | undefined {
  if (!isFields(value) || typeof value.at !== "string" || !isFields(value.parts)) return undefined;
  const parts: Record<string, TrustedPart> = {};
  for (const [name, part] of Object.entries(value.parts)) {
    if (!isFields(part) || typeof part.digest !== "string" || typeof part.shown !== "string")
      return undefined;
    parts[name] = { digest: part.digest, shown: part.shown };
  }
  return { at: value.at, parts };
}

/** Records what the user has agreed to; whatever was recorded of the same places before is replaced. */
export function recordTrust(
  places: Readonly<Record<string, Record<string, TrustedPart>>>,
  now = new Date(),
): Promise<void> {
  return change((record) => {
    for (const [place, parts] of Object.entries(places)) record[place] = { at: now.toISOString(), parts };
  });
}

export function removeTrust(places: readonly string[]): Promise<void> {
  return change((record) => {
    for (const place of places) delete record[place];
  });
}

async function change(make: (record: Record<string, TrustedPlace>) => void): Promise<void> {
  const path = recordPath(stateFolder());
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const release = await takeLock(`${path}.lock`);
  try {
    const record = { ...readTrusted() };
    make(record);
    await replaceFile(path, `${JSON.stringify({ version: 2, places: record }, undefined, 2)}\n`, 0o600);
  } finally {
    release();
  }
}

function recordPath(folder: string): string {
  return join(folder, "trusted.json");
}
