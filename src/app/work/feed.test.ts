import { expect, it } from "vitest";
import type { WorkSourceConfig } from "../../config/work-source.ts";
import type { Item, Source } from "../../sources/source.ts";
import { Feed } from "./feed.ts";

const BEGAN = new Date("2026-05-01T10:00:00Z");
const after = (seconds: number) => new Date(BEGAN.getTime() + seconds * 1_000);
const item = { id: "17", updatedAt: "2026-05-01T09:00:00Z" } as Item;

it("tries an item of which something is wrong less and less often, and at once when it has changed", () => {
  const feed = new Feed({} as Source, { pollMs: 1_000 } as WorkSourceConfig, BEGAN);
  const isTried = (at: Date, one = item) => feed.known(one, undefined, at).refused === undefined;
  feed.troubled(item, new Error("no answer"), BEGAN);
  expect(feed.known(item, undefined, after(1)).refused).toEqual({
    code: "trouble",
    text: "it could not be taken, and is tried again: no answer",
  });
  expect([isTried(after(1)), isTried(after(2))]).toEqual([false, true]);
  feed.troubled(item, new Error("no answer"), after(2));
  expect([isTried(after(5)), isTried(after(6))]).toEqual([false, true]);
  for (let times = 0; times < 30; times++) feed.troubled(item, new Error("no answer"), after(6));
  expect([isTried(after(6 + 899)), isTried(after(6 + 900))]).toEqual([false, true]);
  feed.troubled(item, new Error("no answer"), after(6));
  expect(isTried(after(7), { ...item, updatedAt: "2026-05-01T10:00:05Z" })).toBe(true);
  feed.taken(item);
  feed.troubled(item, new Error("no answer"), after(6));
  expect([isTried(after(7)), isTried(after(8))]).toEqual([false, true]);
});
