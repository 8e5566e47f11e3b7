import { inboxOf } from "../../app/inbox/inbox.ts";
import { fleetOf } from "../../app/served/fleet.ts";
import type { ServedProject } from "../../app/served/projects.ts";

/** What is told of a row; the rest of it is asked for. */
const SHOWN_ROWS = 50;
const SHOWN_TITLE = 160;

/**
 * What changes without an event, such as why jobs wait. However many readers want to know, it is looked at once in this time.
 */
export class News {
  readonly #freshMs: number;
  readonly #look: (projects: readonly ServedProject[]) => Promise<string>;
  readonly #known = new Map<string, { at: number; text: Promise<string> }>();

  constructor(freshMs: number, look: (projects: readonly ServedProject[]) => Promise<string>) {
    this.#freshMs = freshMs;
    this.#look = look;
  }

  of(projects: readonly ServedProject[]): Promise<string> {
    const key = projects.map((each) => each.key).join();
    const now = performance.now();
    const known = this.#known.get(key);
    if (known && now - known.at < this.#freshMs) return known.text;
    const text = this.#look(projects);
    this.#known.set(key, { at: now, text });
    return text;
  }
}

/** Without the time at which it was looked at: only what is new is told. */
export const fleetNews = () =>
  new News(1_000, async (projects) => {
    const { at: _, ...fleet } = await fleetOf(projects);
    return JSON.stringify(fleet);
  });

export const inboxNews = () =>
  new News(1_000, async (projects) => {
    const rows = await Promise.all(
      projects.map(async ({ key, project }) =>
        (await inboxOf(project)).map(({ kind, id, title, since, jobs }) => ({
          ...{ project: key, kind, id, since, jobs: jobs.slice(0, 1) },
          title: title.slice(0, SHOWN_TITLE),
        })),
      ),
    );
    const all = rows.flat();
    return JSON.stringify({ count: all.length, rows: all.slice(0, SHOWN_ROWS) });
  });
