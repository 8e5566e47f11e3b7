import { jobAsking } from "../../store/asks.ts";
import { NotFoundError } from "./not-found.ts";
import type { ServedProject } from "./projects.ts";

/** The project in which something asks this, or asked it. */
export async function askIn(projects: readonly ServedProject[], ask: string): Promise<ServedProject> {
  for (const where of projects) {
    if ((await jobAsking(where.store, ask)) !== undefined) return where;
  }
  throw new NotFoundError(`Nothing here asks ${ask}. \`GET /inbox\` lists what waits for a person.`);
}
