import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Registry } from "./registry.ts";
import type { OwnSession } from "./session.ts";

interface Known {
  changedAt: number;
  size: number;
  session: OwnSession;
}

/** The registry, for who looks at it again and again: only what has changed is read. */
export class CachedRegistry {
  readonly #registry: Registry;
  readonly #known = new Map<string, Known>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async list(): Promise<OwnSession[]> {
    const { folder } = this.#registry;
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
    const there = new Set(names);
    for (const name of this.#known.keys()) if (!there.has(name)) this.#known.delete(name);
    for (const name of names) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      const known = this.#known.get(name);
      if (!found || (known?.changedAt === found.mtimeMs && known.size === found.size)) continue;
      const session = await this.#registry.find(name.slice(0, -".json".length));
      if (session) this.#known.set(name, { changedAt: found.mtimeMs, size: found.size, session });
    }
    return [...this.#known.values()].map(({ session }) => session);
  }
}
