import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratchFolder } from "../../../files/scratch.ts";

/**
 * Where the program waits before it asks its model: a hook reads a line from a pipe that Baton alone writes to. Whoever waits
 * there when the turn is interrupted is ended by the program.
 */
export class Gate {
  /** All that was made for it. */
  readonly #made: string;
  readonly #pipe: number;
  readonly command: string;

  /** `inside`: a folder that is in the program's box, too. */
  static async open(inside?: string): Promise<Gate> {
    const made = inside === undefined ? scratchFolder("codex") : join(inside, `gate-${randomUUID()}`);
    const path = inside === undefined ? join(made, "gate") : made;
    try {
      await promisify(execFile)("mkfifo", ["-m", "600", path]);
      return new Gate(made, path);
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(made: string, path: string) {
    this.#made = made;
    // For reading too, so that it can be opened before anybody waits there.
    this.#pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    // Without Baton nobody passes: the program is about to end as well.
    this.command = `read -r _ < '${path.replaceAll("'", "'\\''")}' || exec sleep 60`;
  }

  /** Lets one pass. */
  readonly pass = (): void => {
    writeSync(this.#pipe, "\n");
  };

  /** Where nobody waits: whoever was let pass may have been ended before. */
  reset(): void {
    try {
      readSync(this.#pipe, Buffer.alloc(64));
    } catch {
      // Nothing was left.
    }
  }

  close(): void {
    closeSync(this.#pipe);
    rmSync(this.#made, { recursive: true, force: true });
  }
}
