import { type Position, positionIn } from "./position.ts";
import type { ServedProject } from "./projects.ts";
import { JournalTail } from "./tail.ts";

/** The ends of all journals that are served, and a bell for whoever waits for more. */
export class JournalTails implements Disposable {
  readonly #tails = new Map<string, JournalTail>();
  #bell = Promise.withResolvers<void>();

  static async begin(projects: readonly ServedProject[]): Promise<JournalTails> {
    const tails = new JournalTails();
    for (const where of projects) tails.#tails.set(where.key, new JournalTail(where, () => tails.ring()));
    await Promise.all([...tails.#tails.values()].map((tail) => tail.begin()));
    return tails;
  }

  of(key: string): JournalTail {
    const tail = this.#tails.get(key);
    if (!tail) throw new Error(`${key} is not served`);
    return tail;
  }

  /** Wakes all who wait. */
  ring(): void {
    this.#bell.resolve();
    this.#bell = Promise.withResolvers<void>();
  }

  /** Resolves when there is more than at the moment of the call. */
  next(): Promise<void> {
    return this.#bell.promise;
  }

  /** Where these are now. */
  async now(projects: readonly ServedProject[]): Promise<Map<string, number>> {
    return new Map(
      await Promise.all(projects.map(async ({ key }) => [key, await this.of(key).look()] as const)),
    );
  }

  /** Where somebody was who says so; `isNew`: of some project they say nothing, or what cannot be. */
  async from(
    text: string | undefined,
    projects: readonly ServedProject[],
  ): Promise<{ position: Map<string, number>; isNew: boolean }> {
    const known: Position = (text !== undefined && positionIn(text, projects)) || new Map();
    const position = await this.now(projects);
    let isNew = false;
    for (const [key, latest] of position) {
      const id = known.get(key);
      if (id === undefined || id > latest) isNew = true;
      else position.set(key, id);
    }
    return { position, isNew };
  }

  [Symbol.dispose](): void {
    for (const tail of this.#tails.values()) tail[Symbol.dispose]();
    this.ring();
  }
}
