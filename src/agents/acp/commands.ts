import { markedProcesses, sessionMark } from "../../processes/marks.ts";

/** What a turn has started, of a program that leaves it running when the turn is cancelled. */
export class TurnCommands {
  readonly #session: string;
  /** What ran before it. */
  readonly begun: Promise<ReadonlySet<number>>;

  constructor(session: string) {
    this.#session = session;
    this.begun = this.#running();
  }

  async end(): Promise<void> {
    const before = await this.begun;
    for (const pid of await this.#running()) if (!before.has(pid)) end(pid);
  }

  async #running(): Promise<ReadonlySet<number>> {
    return new Set(await markedProcesses(sessionMark(this.#session)));
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
}
