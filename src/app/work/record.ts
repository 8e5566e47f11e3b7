import type { chosen } from "../../sources/choose.ts";
import type { Item } from "../../sources/source.ts";
import type { Store } from "../../store/store.ts";
import { putWorkSources, type WorkSourceRow } from "../../store/work/sources.ts";
import type { Line } from "./lines.ts";
import { type ShownItem, shownItem } from "./view.ts";

/** The last that was written to each store. */
const written = new WeakMap<Store, string>();

/** Keeps what this fleet knows for all processes that show it. */
export async function recordSources(
  store: Store,
  lines: readonly Line[],
  chosenOf: (line: Line) => ReturnType<typeof chosen>,
  jobOf: (line: Line, item: Item) => string | null | undefined,
): Promise<void> {
  const rows = [...Map.groupBy(lines, ({ feed }) => feed.source.name)].map(
    ([name, ofSource]): WorkSourceRow => {
      const feeds = ofSource.map(({ feed }) => feed.state);
      const [first] = feeds;
      const problem = feeds.find((state) => state.problem)?.problem;
      const items = ofSource.flatMap((line): ShownItem[] => {
        const { take, wait } = chosenOf(line);
        return [
          ...take.map((item) => shownItem(line, item, { job: jobOf(line, item) })),
          ...wait.map(({ item, why }) => shownItem(line, item, { why, job: jobOf(line, item) })),
        ];
      });
      return {
        name,
        polledAt: first?.polledAt?.toISOString() ?? null,
        nextAt: first?.nextAt.toISOString() ?? null,
        budget: first?.budget ? JSON.stringify(first.budget) : null,
        problem: problem?.why ?? null,
        problemSince: problem?.since.toISOString() ?? null,
        shown: JSON.stringify(items),
      };
    },
  );
  const text = JSON.stringify(rows);
  if (written.get(store) === text) return;
  await putWorkSources(store, rows);
  written.set(store, text);
}
