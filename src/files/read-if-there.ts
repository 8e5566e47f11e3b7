import { readFile } from "node:fs/promises";
import { codeOf } from "../util/errors.ts";

/** Undefined where there is no such file. What cannot be read must not be taken for missing: it would be written over. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
