import { fleetOf } from "../../app/served/fleet.ts";
import type { ServedProject } from "../../app/served/projects.ts";

/** Why jobs wait changes without an event. However many want to know, it is looked at once in this time. */
const FRESH_MS = 1_000;

/** How the fleet stands, without the time at which that was looked at. */
export class FleetNews {
  readonly #known = new Map<string, { at: number; text: Promise<string> }>();

  of(projects: readonly ServedProject[]): Promise<string> {
    const key = projects.map((each) => each.key).join();
    const now = performance.now();
    const known = this.#known.get(key);
    if (known && now - known.at < FRESH_MS) return known.text;
    const text = looked(projects);
    this.#known.set(key, { at: now, text });
    return text;
  }
}

async function looked(projects: readonly ServedProject[]): Promise<string> {
  const { at: _, ...fleet } = await fleetOf(projects);
  return JSON.stringify(fleet);
}
