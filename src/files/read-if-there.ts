import { codeOf } from "../util/errors.ts";
import { readBoundedText } from "./bounded-file.ts";

/** Undefined where there is no such file. What cannot be read must not be taken for missing: it would be written over. */
export async function readIfThere(path: string, limit: number): Promise<string | undefined> {
  try {
    return readBoundedText(path, limit);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
