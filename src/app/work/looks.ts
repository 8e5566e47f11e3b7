import { closeLooks, openLooks } from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import type { Line } from "./lines.ts";

/** Which schedules look for work: from when they are due until nothing is left that they could take. */
export class Looks {
  readonly #store: Store;
  #since = new Map<string, string>();

  constructor(store: Store) {
    this.#store = store;
  }

  async read(lines: readonly Line[]): Promise<void> {
    const open = lines.some(({ schedule }) => schedule) ? await openLooks(this.#store) : [];
    // The newest last: from then on there must have been a poll.
    this.#since = new Map(open.map(({ agent, schedule, at }) => [`${agent}\0${schedule}`, at]));
  }

  /** What is of an agent alone looks all the time. */
  isOpen(line: Line): boolean {
    return line.schedule === undefined || this.#since.has(keyOf(line));
  }

  /** Ends those that have seen all there is. `left`: what one could still take. */
  async end(lines: readonly Line[], left: (line: Line) => number, now: Date): Promise<void> {
    for (const line of lines) {
      const since = this.#since.get(keyOf(line));
      if (since === undefined || !line.schedule) continue;
      const { polledAt } = line.feed.state;
      if (polledAt === undefined || polledAt.toISOString() < since) line.feed.hurry(now);
      else if (left(line) === 0) {
        await closeLooks(this.#store, line.agent.name, line.schedule.name, "nothing is left to take");
        this.#since.delete(keyOf(line));
      }
    }
  }
}

const keyOf = ({ agent, schedule }: Line) => `${agent.name}\0${schedule?.name}`;
