import {
  lutimesSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { thisProcess } from "../processes/owner.ts";
import { takeLock } from "./holder-lock.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-lock-"));
  path = join(folder, "lock");
});

afterEach(() => rmSync(folder, { recursive: true }));

const holding = (once: string, startTime = thisProcess().startTime) =>
  JSON.stringify({ ...thisProcess(), startTime, once });

it("is held by one at a time, and given back", async () => {
  const order: string[] = [];
  const release = await takeLock(path);
  const second = takeLock(path).then((releaseSecond) => {
    order.push("second");
    releaseSecond();
  });
  order.push("first");
  release();
  await second;
  expect(order).toEqual(["first", "second"]);
  expect(readdirSync(folder)).toEqual([]);
});

it("of two that find its holder dead, the slower one does not break the lock of the faster", async () => {
  symlinkSync(holding("dead", "1"), path);
  // The faster one has begun to break it …
  symlinkSync(holding("breaking"), `${path}.dead`);
  const slower = takeLock(path);
  expect(readlinkSync(path)).toBe(holding("dead", "1"));
  // … and holds the lock itself by now.
  unlinkSync(path);
  symlinkSync(holding("faster"), path);
  unlinkSync(`${path}.dead`);
  expect(await Promise.race([slower, takeLock(`${path}.other`).then(() => "still waiting")])).toBe(
    "still waiting",
  );
  expect(readlinkSync(path)).toBe(holding("faster"));
  unlinkSync(path);
  (await slower)();
  expect(readdirSync(folder)).toEqual(["lock.other"]);
});

it("is not broken because the clock was set forward while it is held", async () => {
  const release = await takeLock(path);
  lutimesSync(path, new Date(0), new Date(0));
  const mine = readlinkSync(path);
  const second = takeLock(path);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(readlinkSync(path)).toBe(mine);
  release();
  (await second)();
});

it("is broken when the one that was breaking it died at that", async () => {
  symlinkSync(holding("dead", "1"), path);
  symlinkSync(holding("dead-too", "1"), `${path}.dead`);
  (await takeLock(path))();
  expect(readdirSync(folder)).toEqual([]);
});

it("that was broken because it took too long is not given back in place of the next holder's", async () => {
  const release = await takeLock(path);
  unlinkSync(path);
  const releaseNext = await takeLock(path);
  release();
  expect(readdirSync(folder)).toEqual(["lock"]);
  releaseNext();
});
