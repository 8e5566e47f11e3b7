import { readSync } from "node:fs";
import { openRegular } from "./bounded-file.ts";

/** The end of a file, no more than so many bytes of it; `from` where it is known up to there. Empty where it cannot be read. */
export async function endOf(path: string, mostBytes: number, from = 0): Promise<string> {
  try {
    using file = openRegular(path);
    const start = Math.max(from <= file.size ? from : 0, file.size - mostBytes);
    const buffer = Buffer.alloc(file.size - start);
    const read = readSync(file.fd, buffer, 0, buffer.length, start);
    return buffer.toString("utf8", 0, read);
  } catch {
    return "";
  }
}
