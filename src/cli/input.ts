// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { readSync } = process.getBuiltinModule("node:fs");

/** The output of a tool can be in it. What is more, no hook and no status line needs. */
const MOST_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Standard input, at once. Throws where it is more than can be of use. */
export function inputText(): string {
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(0, piece, 0, CHUNK_BYTES, null);
    if (read === 0) return Buffer.concat(pieces, length).toString("utf8");
    pieces.push(piece.subarray(0, read));
    length += read;
    if (length > MOST_BYTES) throw new Error("was given more than 32 MB, so it was not read");
  }
}
