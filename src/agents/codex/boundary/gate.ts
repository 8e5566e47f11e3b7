import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratchFolder } from "../../../files/scratch.ts";

const makePipes = (...paths: string[]) => promisify(execFile)("mkfifo", ["-m", "600", ...paths]);

/**
 * Where the program waits before it asks its model: a hook reads a line from a pipe that Baton alone writes to. Whoever waits
 * there when the turn is interrupted is ended by the program.
 */
export class Gate {
  /** All that was made for it. */
  readonly #made: string;
  readonly #path: string;
  readonly #spare: string;
  #hasSpare = true;
  /** Once it is closed, its number may be that of another file. */
  #isClosed = false;
  #pipe: number;
  readonly command: string;

  /** `inside`: a folder that is in the program's box, too. */
  static async open(inside?: string): Promise<Gate> {
    const made = inside === undefined ? scratchFolder("codex") : join(inside, `gate-${randomUUID()}`);
    if (inside !== undefined) mkdirSync(made, { mode: 0o700 });
    const [path, spare] = [join(made, "gate"), join(made, "spare")];
    try {
      await makePipes(path, spare);
      return new Gate(made, path, spare);
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(made: string, path: string, spare: string) {
    this.#made = made;
    this.#path = path;
    this.#spare = spare;
    this.#pipe = opened(path);
    // Without Baton nobody passes: the program is about to end as well.
    this.command = `read -r _ < '${path.replaceAll("'", "'\\''")}' || exec sleep 60`;
  }

  /** Lets one pass. */
  readonly pass = (): void => {
    if (!this.#isClosed) writeSync(this.#pipe, "\n");
  };

  /**
   * At the end of a turn. `isLeft`: somebody was not let pass. Who is being killed still takes a line, if one comes before the
   * end does, so those who come later wait at another pipe.
   */
  reset(isLeft: boolean): void {
    if (this.#isClosed) return;
    if (isLeft && this.#hasSpare) this.#replace();
    else this.#drain();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#pipe);
    // A pipe may just be made there.
    rmSync(this.#made, { recursive: true, force: true, maxRetries: 5 });
  }

  #replace(): void {
    const old = this.#pipe;
    renameSync(this.#spare, this.#path);
    this.#pipe = opened(this.#path);
    closeSync(old);
    this.#hasSpare = false;
    makePipes(this.#spare).then(
      () => {
        this.#hasSpare = true;
      },
      // It was closed meanwhile.
      () => {},
    );
  }

  /** Whoever was let pass may have been ended before. */
  #drain(): void {
    try {
      readSync(this.#pipe, Buffer.alloc(64));
    } catch {
      // Nothing was left.
    }
  }
}

/** For reading too, so that it can be opened before anybody waits there. */
function opened(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}
