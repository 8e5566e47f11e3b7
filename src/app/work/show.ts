import type { Item, Source } from "../../sources/source.ts";
import { SourceError } from "../../sources/source.ts";
import type { Store } from "../../store/store.ts";
import { noteItem, type WorkItemRow } from "../../store/work-items.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { type Mark, markerOf } from "./report.ts";

interface Showing {
  item: Item;
  row: WorkItemRow;
  source: Source;
  store: Store;
  /** Throws where the item is not ours any more. */
  confirm: () => Promise<void>;
  signal: AbortSignal;
}

/** Has the tracker show what is true of an item. What it was told before is not told again, also after a kill. */
export async function show(mark: Mark, showing: Showing): Promise<void> {
  const { row, store } = showing;
  const written = JSON.stringify(mark);
  if (row.marked === written) return;
  const key = { source: row.source, item: row.item };
  if (row.mark !== written) await noteItem(store, key, { mark: written });
  try {
    await tell(mark, lastToldIn(row, mark.job), showing);
  } catch (error) {
    // There is nothing left that could show it.
    if (!(error instanceof SourceError && error.code === "not-found")) throw error;
  }
  await noteItem(store, key, { marked: written });
}

async function tell(
  { job, label, text, url }: Mark,
  before: Mark | undefined,
  { item, source, confirm, signal }: Showing,
): Promise<void> {
  // A job can be over before anything was told of it: then its item still looks as if nobody had it.
  if (!before) {
    await confirm();
    await source.markTaken(item, signal);
  }
  if ((before?.label ?? "taken") !== label) {
    await confirm();
    switch (label) {
      case "taken":
        await source.markTaken(item, signal);
        break;
      case "delivered":
        await source.markDelivered(item, signal);
        break;
      default:
        await source.markReleased(item, { failed: label === "failed", ready: label === "ready" }, signal);
    }
  }
  if (url !== undefined && before?.url !== url && source.link) {
    await confirm();
    await source.link(item, { url, title: `Work of ${job}` }, signal);
  }
  if (before?.text !== text) {
    await confirm();
    await source.report(item, { marker: markerOf(job), text }, signal);
  }
}

/** Of the same job. What another told of the item may have been changed since. */
function lastToldIn({ marked }: WorkItemRow, job: string): Mark | undefined {
  const known = marked === null ? undefined : fromJson(marked);
  return isFields(known) && known.job === job ? (known as unknown as Mark) : undefined;
}
