import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { findDocument } from "../handoff/history.ts";
import { messageOf } from "../util/errors.ts";
import { UsageError } from "./usage-error.ts";

/** A handoff document that the user names by its path, also where it was archived since. */
export async function readDocument(named: string): Promise<{ path: string; text: string }> {
  const path = await findDocument(resolve(named));
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(`The handoff document ${path} cannot be read: ${why}`);
  }
}
