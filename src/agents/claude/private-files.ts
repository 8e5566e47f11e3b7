import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../../files/state-folder.ts";
import { codeOf } from "../../util/errors.ts";

/**
 * What a program is given as files, because everybody on the machine can read a command line: headers and variables of
 * servers hold secrets. They are for the user alone, and are removed with the program.
 */
export class PrivateFiles {
  readonly #folder: string;
  readonly #paths: string[] = [];

  /** `inside`: a folder that is in the program's box, too. */
  constructor(env: NodeJS.ProcessEnv, inside?: string) {
    this.#folder = inside ?? join(stateFolder(env), "handed-over");
  }

  /** The path of a file with this text. */
  put(text: string): string {
    const path = this.reserve();
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return path;
  }

  /** A path for a file that is not there yet. */
  reserve(): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#paths.length === 0) removeAbandoned(this.#folder);
    const path = join(this.#folder, `${process.pid}-${randomUUID()}.json`);
    this.#paths.push(path);
    return path;
  }

  readonly remove = (): void => {
    for (const path of this.#paths.splice(0)) rmSync(path, { force: true });
  };
}

/** What a Baton that was killed left behind. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const owner = Number.parseInt(name, 10);
    if (owner > 0 && !isRunning(owner)) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
