import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratchFolder } from "../../../files/scratch.ts";
import { Lines } from "../../process/output.ts";

/** A pipe that Baton alone reads: whoever starts `command` in a shell is heard. */
export class Bell {
  /** All that was made for it. */
  readonly #made: string;
  readonly #pipe: Socket;
  readonly command: string;

  /** `inside`: a folder that is in the program's box, too. */
  static async open(inside: string | undefined, rang: () => void): Promise<Bell> {
    const made = inside === undefined ? scratchFolder("bell") : join(inside, `bell-${randomUUID()}`);
    const path = inside === undefined ? join(made, "bell") : made;
    try {
      await promisify(execFile)("mkfifo", ["-m", "600", path]);
      return new Bell(made, path, rang);
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(made: string, path: string, rang: () => void) {
    this.#made = made;
    // For writing too, so that it does not end when nobody writes.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const lines = new Lines(rang);
    this.#pipe = new Socket({ fd, readable: true, writable: false });
    this.#pipe
      .setEncoding("utf8")
      .on("data", (text: string) => lines.push(text))
      .on("error", () => {});
    // A program that rings is what keeps Baton running, not this.
    this.#pipe.unref();
    this.command = `echo rings > '${path.replaceAll("'", "'\\''")}'`;
  }

  close(): void {
    this.#pipe.destroy();
    rmSync(this.#made, { recursive: true, force: true });
  }
}
