import { rename, unlink, writeFile } from "node:fs/promises";
import { draftOf } from "./scratch.ts";

/** Puts a text in the place of a file in one step: half of it is never there to be read. The folder must be there. */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeFile(draft, text, { flush: true, ...(mode !== undefined && { mode }) });
    await rename(draft, path);
  } catch (error) {
    // On a full disk the half of it would be in the way of the next try.
    await unlink(draft).catch(() => {});
    throw error;
  }
}
