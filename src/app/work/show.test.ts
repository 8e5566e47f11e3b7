import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import type { Item, Source } from "../../sources/source.ts";
import { openStore } from "../../store/store.ts";
import { findItem, noteItem } from "../../store/work-items.ts";
import type { Mark } from "./report.ts";
import { show } from "./show.ts";

const KEY = { source: "linear:eng", item: "ENG-1" };
const ITEM = { id: "ENG-1", nodeId: "node-1" } as Item;
const DONE: Mark = { job: "job-1", label: "delivered", text: "It is done.", url: "https://example.com/1" };

it("asks whether the item is still ours before each thing that it has the tracker show, and stops where it is not", async () => {
  await using store = await openStore(join(await temporaryFolder(), "baton.db"));
  await noteItem(store, KEY, {});
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const source = {
    ...{ markTaken: note("taken"), markDelivered: note("delivered") },
    ...{ link: note("link"), report: note("report") },
  } as unknown as Source;
  const showing = async (confirm: () => Promise<void>) => {
    const row = await findItem(store, KEY);
    if (!row) throw new Error("no row");
    const { signal } = new AbortController();
    return show(DONE, { item: ITEM, row, source, store, confirm, signal });
  };
  const lost = new Error("somebody else has it");
  const lostAfter = (times: number) => async () => {
    if (done.filter((what) => what === "ours").length === times) throw lost;
    done.push("ours");
  };
  await expect(showing(lostAfter(2))).rejects.toThrow(lost);
  expect(done).toEqual(["ours", "taken", "ours", "delivered"]);
  done.length = 0;
  await showing(note("ours"));
  expect(done).toEqual(["ours", "taken", "ours", "delivered", "ours", "link", "ours", "report"]);
  done.length = 0;
  await showing(note("ours"));
  expect(done).toEqual([]);
});
