import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../files/replace.ts";
import { stateFolder } from "../../files/state-folder.ts";
import { fromJson } from "../../util/json.ts";
import { UsageError } from "../usage-error.ts";

const Trusted = z.object({
  version: z.literal(1),
  /** By the path of the file that has the commands. */
  files: z.record(z.string(), z.object({ at: z.string(), commands: z.array(z.string()) })),
});

/** What the user trusts. Of a command only the hash is kept. */
export type TrustRecord = z.infer<typeof Trusted>;

export function hashOf(command: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(command)).digest("hex");
}

export async function readTrust(): Promise<TrustRecord> {
  const path = recordPath();
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new UsageError(`${path}, which says what you trust, cannot be read: ${error.message}`);
  });
  if (text === undefined) return { version: 1, files: {} };
  const read = Trusted.safeParse(fromJson(text));
  if (read.success) return read.data;
  throw new UsageError(
    `${path} should say what you trust, and is not JSON that Baton wrote. Correct it, or delete it.`,
  );
}

export async function writeTrust(record: TrustRecord): Promise<void> {
  const path = recordPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(record, undefined, 2)}\n`, 0o600);
}

function recordPath(): string {
  return join(stateFolder(), "trusted.json");
}
