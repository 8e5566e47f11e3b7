import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UnfitFileError } from "../../../files/bounded-file.ts";
import { codeOf, messageOf } from "../../../util/errors.ts";
import type { AgentEvent } from "../../events.ts";
import { LONGEST_LINE, lineEvents } from "./line.ts";

const LEAST_CHUNK_BYTES = 64 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export class TranscriptUnreadableError extends Error {
  override readonly name = "TranscriptUnreadableError";
  readonly path: string;

  constructor(path: string, cause: unknown) {
    const reason = messageOf(cause);
    super(`Cannot read the transcript ${path}: ${reason}. Check that it is a file this user may read.`, {
      cause,
    });
    this.path = path;
  }
}

/** How far a transcript was read: the end of the last whole line. */
export interface ReadingPlace {
  inode: number;
  offset: number;
}

/** What is taken from a line. */
type Taken<T> = (line: string) => readonly T[];

/** Follows one Claude Code transcript while the agent writes it. One `read` at a time. */
export class TranscriptReader {
  readonly #path: string;
  #inode: number | undefined;
  #offset = 0;
  /** The pieces of a line whose end is not written yet. */
  #partial: Buffer[] = [];
  /** How long they are together. Of a line that grows too long they are not kept: see `LONGEST_LINE`. */
  #partialBytes = 0;

  /** `from`: where an earlier reader stopped. It counts for as long as the file is the same one. */
  constructor(path: string, from?: ReadingPlace) {
    this.#path = path;
    this.#inode = from?.inode;
    this.#offset = from?.offset ?? 0;
  }

  /** Undefined while there was no file to read. */
  get place(): ReadingPlace | undefined {
    if (this.#inode === undefined) return undefined;
    return { inode: this.#inode, offset: this.#offset - this.#partialBytes };
  }

  /**
   * The events of all lines that were completed since the last call. A file that is not there yet has none;
   * one that was replaced or cut short is read from its beginning.
   */
  async *read(): AsyncGenerator<AgentEvent, void, undefined> {
    yield* this.#read(lineEvents);
  }

  /** The same, as lines. */
  async *lines(): AsyncGenerator<string, void, undefined> {
    yield* this.#read((line) => [line]);
  }

  async *#read<T>(taken: Taken<T>): AsyncGenerator<T, void, undefined> {
    const file = await this.#open();
    if (file === undefined) return;
    try {
      const unread = await this.#unread(file);
      yield* this.#readLines(file, Math.min(CHUNK_BYTES, Math.max(LEAST_CHUNK_BYTES, unread)), taken);
    } finally {
      await file.close();
    }
  }

  async *#readLines<T>(
    file: FileHandle,
    chunkBytes: number,
    taken: Taken<T>,
  ): AsyncGenerator<T, void, undefined> {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (;;) {
      const chunkStart = this.#offset;
      const chunk = buffer.subarray(0, await this.#readChunk(file, buffer));
      if (chunk.length === 0) return;
      let lineStart = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, lineStart)) {
        const line = this.#takeLine(chunk, lineStart, end);
        lineStart = end + 1;
        // Before it is given out: a caller that stops in the middle of a line continues at the next one.
        this.#offset = chunkStart + lineStart;
        for (const each of taken(line)) yield each;
      }
      this.#keepPartial(chunk.subarray(lineStart));
      this.#offset = chunkStart + chunk.length;
    }
  }

  /** Decodes whole lines only, so that no character is cut in two. */
  #takeLine(chunk: Buffer, start: number, end: number): string {
    if (this.#partialBytes === 0) return chunk.toString("utf8", start, end);
    const isTooLong = this.#partialBytes + end - start > LONGEST_LINE;
    const pieces = isTooLong ? [] : [...this.#partial, chunk.subarray(start, end)];
    this.#partial = [];
    this.#partialBytes = 0;
    return Buffer.concat(pieces).toString("utf8");
  }

  #keepPartial(piece: Buffer): void {
    this.#partialBytes += piece.length;
    if (this.#partialBytes > LONGEST_LINE) this.#partial = [];
    else if (piece.length > 0) this.#partial.push(Buffer.from(piece));
  }

  async #open(): Promise<FileHandle | undefined> {
    try {
      // Without waiting for somebody to write into a pipe.
      const file = await open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
      if ((await file.stat()).isFile()) return file;
      await file.close();
      throw new UnfitFileError(this.#path, "no-file", 0);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw new TranscriptUnreadableError(this.#path, error);
    }
  }

  /** How many bytes are new: all of them in a file that was replaced or cut short. */
  async #unread(file: FileHandle): Promise<number> {
    const { ino, size } = await file.stat();
    if (ino !== this.#inode || size < this.#offset) {
      this.#offset = 0;
      this.#partial = [];
      this.#partialBytes = 0;
    }
    this.#inode = ino;
    return size - this.#offset;
  }

  async #readChunk(file: FileHandle, buffer: Buffer): Promise<number> {
    try {
      return (await file.read(buffer, 0, buffer.length, this.#offset)).bytesRead;
    } catch (error) {
      throw new TranscriptUnreadableError(this.#path, error);
    }
  }
}
