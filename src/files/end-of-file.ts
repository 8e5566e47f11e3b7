import { open } from "node:fs/promises";

/** The end of a file, no more than so many bytes of it; `from` where it is known up to there. Empty where it cannot be read. */
export async function endOf(path: string, mostBytes: number, from = 0): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const start = Math.max(from <= size ? from : 0, size - mostBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  }
}
