import { readFileSync, rmSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { codeOf } from "../util/errors.ts";
import { fromJson, isFields } from "../util/json.ts";
import { replaceFile } from "./replace.ts";
import { stateFolder } from "./state-folder.ts";

/** That nothing of this user's may start, since when and by whom. */
export interface Halt {
  since: string;
  by: string;
}

const NOTHING_OF_OURS = new Set(["ENOENT", "ENOTDIR", "EACCES"]);

const haltPath = () => join(stateFolder(), "halted.json");

/** Undefined where work may start. A record that cannot be read forbids it too. */
export function halted(): Halt | undefined {
  let text: string;
  try {
    text = readFileSync(haltPath(), "utf8");
  } catch (error) {
    // Whose folder this user may not enter, theirs it is not.
    if (NOTHING_OF_OURS.has(String(codeOf(error)))) return undefined;
    throw error;
  }
  const read = fromJson(text);
  const { since, by } = isFields(read) ? read : {};
  return {
    since: typeof since === "string" ? since : statSync(haltPath()).mtime.toISOString(),
    by: typeof by === "string" ? by : "somebody",
  };
}

/** An earlier halt stays as it is. */
export async function recordHalt(now: Date): Promise<Halt> {
  const before = halted();
  if (before) return before;
  const halt: Halt = { since: now.toISOString(), by: userInfo().username };
  await mkdir(stateFolder(), { recursive: true, mode: 0o700 });
  await replaceFile(haltPath(), `${JSON.stringify(halt)}\n`, 0o600);
  return halt;
}

export function removeHalt(): void {
  rmSync(haltPath(), { force: true });
}
